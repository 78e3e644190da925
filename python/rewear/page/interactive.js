// What a page does under the pointer: values beside it, and the data behind the page as a file. Without
// scripts the page says the same, only still.
(function () {
  "use strict";
  var tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.appendChild(tip);

  function show(event) {
    var marked = event.target.closest && event.target.closest("[data-tip]");
    tip.hidden = !marked;
    if (!marked) return;
    tip.textContent = marked.getAttribute("data-tip");
    var box = marked.getBoundingClientRect();
    var x = event.clientX === undefined ? box.left + box.width / 2 : event.clientX;
    var y = event.clientY === undefined ? box.top : event.clientY;
    tip.style.left = Math.max(4, Math.min(x + 12, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, y - tip.offsetHeight - 10) + "px";
  }
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("focusin", show);

  document.querySelectorAll("a[data-file]").forEach(function (link) {
    var data = document.getElementById("data");
    link.href = URL.createObjectURL(new Blob([data.textContent], { type: "application/json" }));
    link.download = link.getAttribute("data-file");
    link.hidden = false;
  });
})();
