// What a page does under the pointer: values beside it, series that can be hidden, a stretch of time that can be enlarged, and the
// data behind the page as a file. Without scripts the page says the same, only still.
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

  // Lines over time: values under the pointer, series that hide by a click on their name, a stretch enlarged by dragging; a double
  // click shows all again. The drawing stays for paper.
  function words(value, unit) {
    if (value === null || value === undefined) return "-";
    if (unit === "count") return Math.round(value).toLocaleString("en");
    var times = [[1e9, " s"], [1e6, " ms"], [1e3, " µs"], [1, " ns"]];
    var bytes = [[1099511627776, " TiB"], [1073741824, " GiB"], [1048576, " MiB"], [1024, " KiB"]];
    var units = unit === "ns" ? times : bytes;
    for (var each of units) if (Math.abs(value) >= each[0]) return Number((value / each[0]).toPrecision(3)) + each[1];
    return value + (unit === "ns" ? " ns" : " bytes");
  }
  document.querySelectorAll("script.lines").forEach(function (element) {
    if (!window.uPlot) return;
    var lines = JSON.parse(element.textContent), figure = element.closest("figure");
    var style = getComputedStyle(document.documentElement);
    var ink = style.getPropertyValue("--muted"), grid = { stroke: style.getPropertyValue("--grid"), width: 1 };
    var still = figure.querySelector("svg");
    var room = document.createElement("div");
    room.className = "live";
    figure.appendChild(room);
    still.classList.add("still");
    var options = {
      width: room.clientWidth || figure.clientWidth, height: 300,
      scales: { x: { time: false }, y: { distr: lines.log ? 3 : 1 } },
      axes: [
        { stroke: ink, grid: grid, label: lines.across },
        { stroke: ink, grid: grid, size: 70, values: function (_, ticks) {
          return ticks.map(function (tick) { return tick === null ? "" : words(tick, lines.unit); });
        } }
      ],
      series: [{ label: "s" }], bands: [],
      // Who hides a line hides its band.
      hooks: { setSeries: [function (plot, index, changed) {
        if (!index || changed.show === undefined || !plot.series[index].edges) return;
        plot.series[index].edges.forEach(function (edge) { plot.setSeries(edge, { show: changed.show }); });
      }] }
    };
    var columns = [lines.seconds];
    lines.lines.forEach(function (line) {
      var colour = style.getPropertyValue(line.colour).trim(), first = options.series.length;
      options.series.push({
        label: line.label, stroke: colour, width: 1.5, spanGaps: true, edges: line.low ? [first + 1, first + 2] : null,
        value: function (_, value) { return words(value, lines.unit); }
      });
      columns.push(line.values);
      if (!line.low) return;
      [line.high, line.low].forEach(function (edge) {
        options.series.push({ label: "", class: "edge", width: 0, spanGaps: true, points: { show: false } });
        columns.push(edge);
      });
      options.bands.push({ series: [first + 1, first + 2], fill: colour + "2a" });
    });
    var drawn = new uPlot(options, columns, room);
    window.addEventListener("resize", function () { drawn.setSize({ width: figure.clientWidth, height: 300 }); });
  });

  // The legend of drawings: a click hides what belongs to a name in all panels below it.
  document.querySelectorAll("button[data-shows]").forEach(function (button) {
    button.addEventListener("click", function () {
      var off = button.classList.toggle("off");
      button.closest("section").querySelectorAll('[data-series="' + button.getAttribute("data-shows") + '"]').forEach(
        function (drawn) { drawn.style.display = off ? "none" : ""; });
    });
  });

  document.querySelectorAll("a[data-file]").forEach(function (link) {
    var data = document.getElementById("data");
    link.href = URL.createObjectURL(new Blob([data.textContent], { type: "application/json" }));
    link.download = link.getAttribute("data-file");
    link.hidden = false;
  });
})();
