"""Pages of advice and comparison in a browser: what a wide window, a phone and scripts make of them."""

import html
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
import rewear as api
from rewear.codes import study
from rewear.comparison.lifetime import lifetime
from rewear.page.render import rendered
from rewear.shown.codes import codes_answer
from rewear.shown.lifetime import lifetime_answer
from rewear.sweep import Sweep

SMALL = {"flash.blocks_per_plane": 32, "flash.pages_per_block": 64, "flash.channels": 2}
SWEEP = """
base.drive = "qlc"
base.workload = "zipf:requests=2000"
base.flash.blocks_per_plane = 32
base.flash.pages_per_block = 64
axes.op.key = "ftl.over_provisioning"
axes.op.values = [0.1, 0.2, 0.3]
axes.depth.key = "replay.queue_depth"
axes.depth.values = [1, 8]
axes.victim.key = "ftl.victim.scheme"
axes.victim.values = ["greedy", "cost-benefit"]
"""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (Debian: apt install chromium)")

PROBE = """<script>addEventListener('load', () => setTimeout(() => {
const shown = e => { const b = e.getBoundingClientRect();
  return b.width > 0 && b.right <= innerWidth + 1 && b.left >= 0; };
const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll,pre,svg,.tip')
  && e.getBoundingClientRect().right > innerWidth + 1).length;
const row = document.querySelector('.figures tbody tr:not(.group)');
const numbers = [...row.querySelectorAll('td')].filter(shown).length;
const scroll = document.querySelector('.scroll'), fits = scroll.scrollWidth <= scroll.clientWidth + 1;
scroll.scrollLeft = 200;
const label = shown(row.querySelector('th'));
const winner = row.querySelector('.winner');
const mark = document.querySelector('[data-tip]');
mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 50, clientY: 50}));
const tip = document.querySelector('.tip');
const link = document.querySelector('a[data-file]');
parent.document.title = `wide ${wide} fits ${fits || innerWidth < 1300} numbers ${numbers >= 2} label ${label} `
  + `tip ${!tip.hidden && tip.textContent.length > 5} `
  + `winner ${!winner || shown(winner)} data ${link.href.startsWith('blob:')}`;
}, 200));</script></body>"""


# What every kind of page has: nothing wider than the window, values beside the pointer, its data as a file.
COMMON = """<script>addEventListener('load', () => setTimeout(() => {
const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll,pre,svg,.tip')
  && e.getBoundingClientRect().right > innerWidth + 1).length;
const marks = document.querySelectorAll('svg [data-tip]').length;
const link = document.querySelector('a[data-file]');
parent.document.title = `wide ${wide} marks ${marks > 0} data ${!!link && link.href.startsWith('blob:')}`;
}, 200));</script></body>"""

# The rules of paper, on a window as wide as a sheet of A4 between its margins: no column is cut, all details are open.
PAPER = """<script>addEventListener('load', () => setTimeout(() => {
const cut = [...document.querySelectorAll('body *')].filter(e => !e.closest('svg,.tip')
  && e.getBoundingClientRect().right > innerWidth + 1).length;
const closed = [...document.querySelectorAll('details > *:not(summary)')].filter(
  e => e.getBoundingClientRect().height === 0).length;
parent.document.title = `cut ${cut} closed ${closed}`;
}, 200));</script></body>"""
# The first screen of an answer: which columns are in sight, and where the plot of lives stands.
OPENING = """<script>addEventListener('load', () => setTimeout(() => {
const box = name => document.querySelector(name).getBoundingClientRect();
const seen = [...document.querySelectorAll('.opening .answer thead th')].filter(
  e => e.getBoundingClientRect().right <= innerWidth + 1).map(e => e.textContent);
const header = box('.opening header'), plot = box('.opening figure'), table = box('.opening .table');
const beside = plot.left >= header.right && plot.bottom <= table.top;
const place = beside ? 'beside' : plot.top >= table.bottom ? 'below' : '?';
parent.document.title = `${seen.slice(1, 5).join(', ')}; plot ${place}`;
}, 200));</script></body>"""
A4_PIXELS = 688


def looked_at(page: str, width: int, folder: Path, probe: str = PROBE) -> str:
    """The title that the probe writes, from the page in a frame of a width below a window's least."""
    inner = html.escape(page.replace("</body>", probe))
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
def pages(tmp_path_factory) -> dict[str, str]:
    workload = api.Workload("zipf:requests=20000,pages=8000,theta=1")
    trace = timed_trace(tmp_path_factory.mktemp("trace") / "timed.csv")
    with pytest.MonkeyPatch.context() as patch:
        # Two tables of techniques look like three.
        patch.setattr(import_module("rewear.advice.advise"), "_MORE_FLASH", {"more flash": 2.14})
        advice = api.advise(trace)  # with times, so that no column is missing
    compared = api.compare(workload, ["qlc", "qlc-op28", "qlc-wom-v"], interval_s=0.5)
    sweep = Sweep.from_toml(SWEEP)
    written = api.Workload("zipf:requests=20000,theta=1")
    lives = lifetime([written], [("code", api.Drive("wom-v-qlc", set=SMALL))])
    return {
        "advice": advice.to_html(),
        "comparison": compared.to_html(),
        "sweep": sweep.run(workers=1, store=tmp_path_factory.mktemp("store")).to_html(),
        "lifetime": rendered(lifetime_answer(lives)),
        "analysis": trace.analyze().to_html(),
        "codes": rendered(codes_answer(study(["bch", "physics"], samples=20))),
    }


def timed_trace(path: Path) -> api.Trace:
    lines = [
        f"{at * 1_000_000},host,0,{'Write' if at % 3 else 'Read'},{4096 * (at * 37 % 900)},4096,100"
        for at in range(1, 4000)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return api.Trace(path)


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize("page", ["advice", "comparison"])
def test_numbers_and_labels_are_in_sight(pages, page, width, tmp_path):
    assert (
        looked_at(pages[page], width, tmp_path)
        == "wide 0 fits true numbers true label true tip true winner true data true"
    )


@pytest.mark.parametrize(("width", "place"), [(1400, ", rated TBW, mean response; plot beside"), (420, "; plot below")])
def test_life_and_price_are_in_sight_at_once(pages, width, place, tmp_path):
    seen = looked_at(pages["advice"], width, tmp_path, OPENING)
    # A phone shows what the first question asks for; the rest of the table scrolls.
    assert seen == f"life, TBW{place}"


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize("page", ["sweep", "lifetime", "analysis", "codes"])
def test_other_pages_fit_the_window_and_carry_values_and_data(pages, page, width, tmp_path):
    assert looked_at(pages[page], width, tmp_path, COMMON) == "wide 0 marks true data true"


@pytest.mark.parametrize("page", ["advice", "comparison", "sweep", "lifetime", "analysis", "codes"])
def test_no_column_is_cut_on_paper(pages, page, tmp_path):
    printed = pages[page].replace("@media print", "@media all")
    assert looked_at(printed, A4_PIXELS, tmp_path, PAPER) == "cut 0 closed 0"


def test_pages_are_small(pages):
    assert len(pages["advice"]) < 200_000
    assert len(pages["comparison"]) < 500_000
