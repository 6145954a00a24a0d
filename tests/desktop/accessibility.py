#!/usr/bin/python3
"""Reads the window as a screen reader does (AT-SPI) in each view: what takes the keys has a name and a role, and each
view's picture tells what it shows.

accessibility.py PROGRAM: in an X server and a session bus of its own. Ends with "SKIPPED: ..." where a package is
missing."""
import os
import shutil
import subprocess
import sys
import time

NEEDED = ["Xvfb", "dbus-run-session", "/usr/libexec/at-spi-bus-launcher"]
VIEWS = ["Timeline", "Layout", "Heatmap", "Kernels", "Sweep", "Spectrum", "Findings", "Query", "Runs", "Predict",
         "Operators", "Compare"]
WAIT_S = 60


def skip(why):
    print("SKIPPED:", why)
    sys.exit(0)


def run_inside(program):
    """Starts this script again, in a session bus beside an X server."""
    missing = [tool for tool in NEEDED if not (os.path.exists(tool) or shutil.which(tool))]
    if missing:
        skip("not installed: " + ", ".join(missing))
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    display = os.read(reading, 16).decode().strip()
    environment = dict(os.environ, DISPLAY=":" + display, QT_QPA_PLATFORM="xcb", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
    try:
        command = ["dbus-run-session", "--", sys.executable, __file__, "--inside", program]
        return subprocess.run(command, env=environment, timeout=4 * WAIT_S).returncode
    finally:
        server.terminate()
        server.wait()


def nodes(root):
    """All of a tree that is on the screen, the root first."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node is None:
            continue
        yield node
        for i in range(node.get_child_count()):
            pending.append(node.get_child_at_index(i))


def until(what, find):
    """What find() gives, once it gives something."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.2)
    print("not there after", WAIT_S, "s:", what)
    sys.exit(1)


def inspect(program):
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    def shown(node):
        return node.get_state_set().contains(Atspi.StateType.SHOWING)

    def press(node):
        names = [Atspi.Action.get_action_name(node, i) for i in range(Atspi.Action.get_n_actions(node))]
        if "Press" not in names:
            print(f"{node.get_name()!r} cannot be pressed, only {names}")
            sys.exit(1)
        Atspi.Action.do_action(node, names.index("Press"))

    def application():
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child is not None and child.get_name().lower() == "trainscope":
                return child
        return None

    PARTS = (Atspi.Role.CHART, Atspi.Role.TABLE, Atspi.Role.TREE_TABLE, Atspi.Role.LIST, Atspi.Role.TEXT)
    before = set()
    launcher = subprocess.Popen(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"])
    window = subprocess.Popen([program, "--sample"])
    problems = []
    try:
        root = until("the window", application)
        for view in VIEWS:
            tab = until("the tab of the view " + view, lambda: [
                node for node in nodes(root) if node.get_name() == view and shown(node) and
                node.get_role() in (Atspi.Role.PAGE_TAB, Atspi.Role.RADIO_BUTTON, Atspi.Role.PUSH_BUTTON)])[0]
            press(tab)
            until("the view " + view, lambda: tab.get_state_set().contains(Atspi.StateType.SELECTED))
            parts = until("what the view " + view + " shows", lambda: [
                node for node in nodes(root) if shown(node) and node.get_role() in PARTS and
                (node.get_name(), node.get_description()) not in before])
            before = {(part.get_name(), part.get_description()) for part in parts}
            for part in parts:
                if part.get_role() == Atspi.Role.CHART:
                    print(f"{view}: {part.get_name()}: {part.get_description()[:100]!r}")
                    if not part.get_description():
                        problems.append(f"{view}: the picture {part.get_name()!r} does not tell what it shows")
            for node in nodes(root):
                states = node.get_state_set()
                if not (states.contains(Atspi.StateType.FOCUSABLE) and shown(node)):
                    continue
                place = f"{view}: {node.get_role_name()} in {node.get_parent().get_name()!r}"
                # Qt says of each label that it could take the keys.
                if not node.get_name() and node.get_role() != Atspi.Role.LABEL:
                    problems.append(place + " takes the keys and has no name")
                if node.get_role() in (Atspi.Role.INVALID, Atspi.Role.UNKNOWN, Atspi.Role.FILLER):
                    problems.append(f"{place}: {node.get_name()!r} has no role")
    finally:
        window.terminate()
        window.wait()
        launcher.terminate()
        launcher.wait()
    for problem in sorted(set(problems)):
        print(problem)
    return 1 if problems else 0


if sys.argv[1] == "--inside":
    sys.exit(inspect(sys.argv[2]))
try:
    import gi
    gi.require_version("Atspi", "2.0")
except (ImportError, ValueError):
    skip("python3-gi and gir1.2-atspi-2.0 are not installed")
sys.exit(run_inside(sys.argv[1]))
