#!/usr/bin/python3
"""Reads the window as a screen reader does (AT-SPI) in each view: what takes the keys has a name and a role, and each
view's picture tells what it shows. So it does with the sheets and the main menu. Presses buttons, a choice, a menu and a
check box and sets a slider, which do what they do for the pointer.

accessibility.py PROGRAM. Ends with "SKIPPED: ..." where a package is missing."""
import os
import re
import sys
import tempfile
import time

from window import Window, actions, is_shown, nodes, press, run_inside, until

VIEWS = ["Timeline", "Layout", "Heatmap", "Kernels", "Sweep", "Spectrum", "Findings", "Query", "Runs", "History", "Predict",
         "Replay", "Compare"]
# By view: what is pressed one after another, and the sheet that it opens.
SHEETS = {
    "Timeline": [
        (["Menu", "Connect…"], "Connect to a monitoring engine"),
        (["Menu", "Import report…"], "Import report"),
        (["Menu", "Help", "Manual"], "Manual"),
        (["Menu", "Help", "Keys"], "Keys"),
        (["Menu", "Help", "About Trainscope"], "Trainscope"),
        (["Export"], "Export"),
    ],
    "Layout": [(["Edit the machine…"], "The machine"), (["Enter by hand…"], "Layout by hand")],
    "Runs": [(["Columns…"], "Columns")],
}
MENUS = ["Menu", "Help"]
LOG = """timestamp, index, power.draw [W], temperature.gpu
2026/01/05 10:00:00.000, 0, 310.50 W, 55
2026/01/05 10:00:01.000, 0, 320.50 W, 56
"""


def use(window):
    def pressable(name):
        return until(f"{name!r}, to be pressed", lambda: [
            node for node in nodes(window.root)
            if re.fullmatch(name, node.get_name()) and is_shown(node) and "Press" in actions(node)])[-1]

    press(pressable("Export"))
    press(pressable("Format"))
    press(pressable("SVG, vector"))
    until("the chosen format", lambda: window.shown("Format")[0].get_description() == "SVG, vector")
    press(pressable("Close"))
    until("the end of the sheet", lambda: not window.shown("Format"))
    press(pressable("Menu"))
    press(pressable("Help"))
    press(pressable("About Trainscope"))
    press(pressable("Close"))
    until("the end of the sheet", lambda: not [
        node for node in nodes(window.root) if is_shown(node) and node.get_role_name() == "dialog"])
    press(window.tab("Findings"))
    press(pressable("gpt3-175b 32xH200 tp8-pp4[.,].*"))
    until("the findings of one run", lambda: findings_of(window, "1 run"))
    box = pressable("All runs")
    press(box)
    if not waited(lambda: is_checked(box)):
        print("a press of 'All runs' was lost: pressed again")
        press(box)
    until("the findings of all runs", lambda: findings_of(window, "3 runs"))
    press(window.tab("Layout"))
    moment = until("the slider of the moment", lambda: window.shown("Moment of the run"))[0]
    before = moment.get_description()
    moment.set_current_value(0.75)
    until("another moment", lambda: moment.get_description() != before)


def waited(find):
    """Whether it comes true, on a machine that may be busy with much else."""
    end = time.monotonic() + 10
    while not find() and time.monotonic() < end:
        time.sleep(0.2)
    return find()


def is_checked(box):
    from gi.repository import Atspi
    return box.get_state_set().contains(Atspi.StateType.CHECKED)


def findings_of(window, runs):
    return [node for node in nodes(window.root) if node.get_name().endswith("findings in " + runs) and is_shown(node)]


def nameless(root, place):
    """What takes the keys there without a name or a role."""
    from gi.repository import Atspi
    for node in nodes(root):
        if not (node.get_state_set().contains(Atspi.StateType.FOCUSABLE) and is_shown(node)):
            continue
        # Qt says of each label that it could take the keys.
        if not node.get_name() and node.get_role() != Atspi.Role.LABEL:
            yield f"{place}: {node.get_role_name()} in {node.get_parent().get_name()!r} takes the keys and has no name"
        if node.get_role() in (Atspi.Role.INVALID, Atspi.Role.UNKNOWN, Atspi.Role.FILLER):
            yield f"{place}: {node.get_role_name()} in {node.get_parent().get_name()!r}: {node.get_name()!r} has no role"


def first(window, matches):
    """Of what is shown; sheets and menus lie above all else and come first."""
    return next((node for node in nodes(window.root) if matches(node) and is_shown(node)), None)


def dialog(window, title=""):
    return first(window, lambda node: node.get_role_name() == "dialog" and node.get_name().startswith(title))


def walk(window, way, title):
    """The sheet that opens, and the menus on the way to it."""
    problems = set()
    for name in way:
        press(until(f"{name!r}, to be pressed", lambda: first(
            window, lambda node: node.get_name() == name and "Press" in actions(node))))
        if name in MENUS:
            menu = until("the menu " + name, lambda: first(window, lambda node: node.get_role_name() == "popup menu"))
            problems.update(nameless(menu, "Menu " + name))
    sheet = until("the sheet " + title, lambda: dialog(window, title))
    problems.update(nameless(sheet, title))
    press(next(node for node in nodes(sheet) if node.get_name() == "Close"))
    until("the end of the sheet " + title, lambda: dialog(window) is None)
    return problems


def inspect(program):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # views as nobody left them
        log = os.path.join(folder, "gpu.csv")
        with open(log, "w", encoding="utf-8") as file:
            file.write(LOG)
        with Window(program, "--sample", log) as window:
            return inspect_window(window)


def inspect_window(window):
    from gi.repository import Atspi
    parts_roles = (Atspi.Role.CHART, Atspi.Role.TABLE, Atspi.Role.TREE_TABLE, Atspi.Role.LIST, Atspi.Role.TEXT)
    before = set()
    problems = walk(window, [], "Import")
    for view in VIEWS:
        press(window.tab(view))
        # The tabs may be others since: they give way to a menu where the window is narrow.
        until("the view " + view, lambda: window.tab(view).get_state_set().contains(Atspi.StateType.SELECTED))
        def told():
            parts = [node for node in nodes(window.root) if is_shown(node) and node.get_role() in parts_roles and
                     (node.get_name(), node.get_description()) not in before]
            is_silent = any(part.get_role() == Atspi.Role.CHART and not part.get_description() for part in parts)
            return [] if is_silent else parts

        parts = until("what the view " + view + " shows, and tells that it shows", told)
        before = {(part.get_name(), part.get_description()) for part in parts}
        for part in parts:
            if part.get_role() == Atspi.Role.CHART:
                print(f"{view}: {part.get_name()}: {part.get_description()[:100]!r}")
        problems.update(nameless(window.root, view))
        for way, title in SHEETS.get(view, []):
            problems.update(walk(window, way, title))
    use(window)
    for problem in sorted(problems):
        print(problem)
    return 1 if problems else 0


if sys.argv[1] == "--inside":
    sys.exit(inspect(sys.argv[2]))
sys.exit(run_inside(sys.argv[1:], 890))
