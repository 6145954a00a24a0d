#!/usr/bin/python3
"""Reads the window as a screen reader does (AT-SPI) in each view: what takes the keys has a name and a role, and each
view's picture tells what it shows. Presses buttons, a choice, a menu and a check box, which do what they do for the
pointer.

accessibility.py PROGRAM. Ends with "SKIPPED: ..." where a package is missing."""
import re
import sys

from window import Window, actions, is_shown, nodes, press, run_inside, until

VIEWS = ["Timeline", "Layout", "Heatmap", "Kernels", "Sweep", "Spectrum", "Findings", "Query", "Runs", "Predict",
         "Operators", "Compare"]


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
    press(pressable("All runs"))
    until("the findings of both runs", lambda: findings_of(window, "2 runs"))


def findings_of(window, runs):
    return [node for node in nodes(window.root) if node.get_name().endswith("findings in " + runs) and is_shown(node)]


def inspect(program):
    with Window(program, "--sample") as window:
        from gi.repository import Atspi
        parts_roles = (Atspi.Role.CHART, Atspi.Role.TABLE, Atspi.Role.TREE_TABLE, Atspi.Role.LIST, Atspi.Role.TEXT)
        before = set()
        problems = set()
        for view in VIEWS:
            tab = window.tab(view)
            press(tab)
            until("the view " + view, lambda: tab.get_state_set().contains(Atspi.StateType.SELECTED))
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
            for node in nodes(window.root):
                if not (node.get_state_set().contains(Atspi.StateType.FOCUSABLE) and is_shown(node)):
                    continue
                place = f"{view}: {node.get_role_name()} in {node.get_parent().get_name()!r}"
                # Qt says of each label that it could take the keys.
                if not node.get_name() and node.get_role() != Atspi.Role.LABEL:
                    problems.add(place + " takes the keys and has no name")
                if node.get_role() in (Atspi.Role.INVALID, Atspi.Role.UNKNOWN, Atspi.Role.FILLER):
                    problems.add(f"{place}: {node.get_name()!r} has no role")
        use(window)
        for problem in sorted(problems):
            print(problem)
        return 1 if problems else 0


if sys.argv[1] == "--inside":
    sys.exit(inspect(sys.argv[2]))
sys.exit(run_inside(sys.argv[1:], 240))
