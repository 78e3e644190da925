"""Pages of advice and comparison in a browser: what a wide window, a phone and scripts make of them."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import rewear as api

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian: apt install chromium)")

PROBE = """<script>addEventListener('load', () => setTimeout(() => {
const shown = e => { const b = e.getBoundingClientRect();
  return b.width > 0 && b.right <= innerWidth + 1 && b.left >= 0; };
const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll,pre,svg,.live,.tip')
  && e.getBoundingClientRect().right > innerWidth + 1).length;
const row = document.querySelector('.figures tbody tr:not(.group)');
const numbers = [...row.querySelectorAll('td')].filter(shown).length;
const scroll = document.querySelector('.scroll'); scroll.scrollLeft = 200;
const label = shown(row.querySelector('th'));
const mark = document.querySelector('[data-tip]');
mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 50, clientY: 50}));
const tip = document.querySelector('.tip');
const link = document.querySelector('a[data-file]');
parent.document.title = `wide ${wide} numbers ${numbers >= 2} label ${label} `
  + `tip ${!tip.hidden && tip.textContent.length > 5} `
  + `data ${link.href.startsWith('blob:')} live ${document.querySelectorAll('.live canvas').length}`;
}, 200));</script></body>"""


def looked_at(page: str, width: int, folder: Path) -> str:
    """The title that the probe writes, from the page in a frame of a width below a window's least."""
    inner = html.escape(page.replace("</body>", PROBE))
    outer = folder / "outer.html"
    outer.write_text(
        f'<title></title><iframe style="border:0;width:{width}px;height:3000px" srcdoc="{inner}"></iframe>'
    )
    found = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,3200", "--dump-dom",
         "--virtual-time-budget=5000", f"--user-data-dir={folder / 'profile'}", outer.as_uri()],
        check=True, capture_output=True, text=True, timeout=300,
    ).stdout  # fmt: skip
    return re.search(r"<title>(.*?)</title>", found)[1]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    workload = api.Workload("zipf:requests=20000,pages=8000,theta=1")
    advice = api.advise(workload, "mlc", seeds=1)
    compared = api.compare(workload, ["qlc", "qlc-op28", "qlc-wom-v"], interval_s=0.5)
    return {"advice": advice.to_html(), "comparison": compared.to_html()}


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize(("page", "lines"), [("advice", 0), ("comparison", 2)])
def test_numbers_and_labels_are_in_sight(pages, page, lines, width, tmp_path):
    assert looked_at(pages[page], width, tmp_path) == f"wide 0 numbers true label true tip true data true live {lines}"


def test_pages_are_small(pages):
    assert len(pages["advice"]) < 200_000
    assert len(pages["comparison"]) < 500_000
