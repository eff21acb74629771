# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site and looks at it: python3 site_test.py BUILD_DIRECTORY PICTURES_DIRECTORY
It ends with 77 where it cannot.

- Doxygen has no warning. Every link leads to a page that is there, and to a place that it has.
- In Chromium, light and dark, wide and narrow: pages load without errors, nothing is wider than the window, text has
  contrast, and the search box finds a function. The pictures are for people to look at.
"""
import html.parser
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

import browser

PAGES = {"start": "index.html", "task": "page_task_softmax.html", "reference": "group__header__reduce__cuh.html",
         "axes": "group__header__reduce__axes__cuh.html", "type": "structwarpfold_1_1moments__of.html",
         "concept": "conceptwarpfold_1_1item__iterator.html", "modules": "modules.html",
         "guarantees": "page_include_warpfold_guarantees.html", "performance": "page_bench_results_reduce.html",
         "pytorch": "page_examples_pytorch.html", "tour": "page_include_warpfold.html"}
# The least contrast of text to its ground among what is seen (WCAG 2 asks for 4.5), by the colours that are set.
CONTRAST = """(() => {
  const parts = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = c => { const f = x => (x /= 255, x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
                       return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  let least = [21, ''];
  for (const e of document.querySelectorAll('.contents *, #side-nav *')) {
    const said = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const box = e.getBoundingClientRect();
    if (!said || box.width === 0 || box.height === 0 || getComputedStyle(e).visibility === 'hidden') continue;
    let ground = e;
    while (ground && (parts(getComputedStyle(ground).backgroundColor)[3] ?? 1) < 1) ground = ground.parentElement;
    const back = ground ? parts(getComputedStyle(ground).backgroundColor) : [255, 255, 255];
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least[0]) least = [ratio, e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 40)];
  }
  return least;
})()"""
SEARCH = """new Promise(done => {
  const box = document.getElementById('MSearchField');
  box.focus();
  box.value = '%s';
  for (const kind of ['keydown', 'keyup'])
    box.dispatchEvent(new KeyboardEvent(kind, {key: 'x', keyCode: 88, bubbles: true}));
  setTimeout(() => {
    const results = document.getElementById('MSearchResults');
    const page = results.contentDocument || (results.contentWindow || {}).document || results;
    const shown = [...page.querySelectorAll('.SRResult, .SRSymbol')]
      .filter(e => e.offsetParent !== null || e.offsetHeight > 0);
    done(shown.map(e => e.textContent.trim()).join('|'));
  }, 1500);
})"""


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.places |= {named[key] for key in ("id", "name") if named.get(key)}
        self.links += [named[key] for key in ("href", "src", "data") if named.get(key)]


def broken_links(site):
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text())
    broken, checked = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or link.startswith(("//", "javascript:")):
                continue
            checked += 1
            to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            place = urllib.parse.unquote(parts.fragment)
            if not to.exists() or (place and to in pages and place not in pages[to].places):
                broken.append(f"{path.name}: {link}")
    return sorted(set(broken)), checked


def look(site, pictures, complain):
    chromium = browser.Browser()
    try:
        for width, height, dark in ((1280, 900, False), (1280, 900, True), (390, 844, False), (390, 844, True)):
            chromium.look(width, height, dark)
            for name, page in PAGES.items():
                at = f"{name}, {width} wide, {'dark' if dark else 'light'}"
                for error in chromium.open((site / page).as_uri()):
                    complain(f"{at}: {error}")
                if not chromium.run("document.title.includes('Warpfold')"):
                    complain(f"{at}: the title is {chromium.run('document.title')}")
                wide = chromium.run("document.documentElement.scrollWidth")
                if wide > width:
                    complain(f"{at}: is {wide} wide")
                contrast, where = chromium.run(CONTRAST)
                if contrast < 4.5:
                    complain(f"{at}: contrast {contrast:.1f} of {where}")
                chromium.picture(pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png")
        chromium.look(1280, 900, False)
        chromium.open((site / "index.html").as_uri())
        for name in ("segmented_argmax", "reduce_axes"):
            found = chromium.run(SEARCH % name)
            if name not in found.split("|"):
                complain(f"search for {name} finds '{found}'")
            chromium.picture(pictures / f"search-{name}.png")
    finally:
        chromium.close()


def main():
    build, pictures = map(pathlib.Path, sys.argv[1:])
    if shutil.which("doxygen") is None:
        print("skipped: there is no Doxygen (cmake/docs/README.md names the packages)")
        sys.exit(77)
    mistakes = []
    made = subprocess.run(["cmake", "--build", build, "--target", "docs"], capture_output=True, text=True)
    if "The site needs" in made.stdout:
        print("skipped:", made.stdout)
        sys.exit(77)
    if made.returncode != 0 or "warning" in made.stderr:
        mistakes.append(made.stdout + made.stderr)
    site = (build / "site").resolve()
    broken, checked = broken_links(site)
    if broken or checked < 1000:
        mistakes.append(f"{checked} links, of which these lead nowhere:\n  " + "\n  ".join(broken))
    if browser.find():
        pictures.mkdir(parents=True, exist_ok=True)
        look(site, pictures, mistakes.append)
    if mistakes:
        sys.exit("\n".join(mistakes))
    print(f"{checked} links")
    if not browser.find():
        print("skipped: there is no Chromium to look at the site")
        sys.exit(77)


if __name__ == "__main__":
    main()
