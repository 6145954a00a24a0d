"""The application in an X server and a session bus of its own, read and pressed as a screen reader does (AT-SPI)."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

NEEDED = ["Xvfb", "dbus-run-session", "/usr/libexec/at-spi-bus-launcher"]
WAIT_S = 60


def run_inside(arguments, timeout_s):
    """Starts this program again, with --inside, where a window can be."""
    missing = [tool for tool in NEEDED if not (os.path.exists(tool) or shutil.which(tool))]
    try:
        import gi
        gi.require_version("Atspi", "2.0")
    except (ImportError, ValueError):
        missing.append("python3-gi and gir1.2-atspi-2.0")
    if missing:
        print("SKIPPED: not installed:", ", ".join(missing))
        return 0
    reading, writing = os.pipe()
    # The launcher of AT-SPI comes and goes before the window is there. An X server that resets when its last client
    # goes refuses who connects meanwhile.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    display = os.read(reading, 16).decode().strip()
    environment = dict(os.environ, DISPLAY=":" + display, QT_QPA_PLATFORM="xcb", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
    try:
        command = ["dbus-run-session", "--", sys.executable, sys.argv[0], "--inside", *arguments]
        return subprocess.run(command, env=environment, timeout=timeout_s).returncode
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


def until(what, find, wait_s=WAIT_S):
    """What find() gives, once it gives something. Otherwise a picture of the screen is kept, where ImageMagick is there."""
    from gi.repository import GLib
    end = time.monotonic() + wait_s
    while time.monotonic() < end:
        try:
            found = find()
        except GLib.Error:  # a part went away while it was read
            found = None
        if found:
            return found
        time.sleep(0.2)
    picture = os.path.join(tempfile.gettempdir(), f"trainscope-{os.getpid()}.png")
    is_kept = shutil.which("import") and subprocess.run(["import", "-window", "root", picture]).returncode == 0
    print("not there after", wait_s, "s:", what, f"({picture})" if is_kept else "")
    sys.exit(1)


def is_shown(node):
    from gi.repository import Atspi
    return node.get_state_set().contains(Atspi.StateType.SHOWING)


def actions(node):
    from gi.repository import Atspi
    return [Atspi.Action.get_action_name(node, i) for i in range(Atspi.Action.get_n_actions(node))]


def press(node):
    from gi.repository import Atspi
    names = actions(node)
    if "Press" not in names:
        print(f"{node.get_name()!r} cannot be pressed, only {names}")
        sys.exit(1)
    Atspi.Action.do_action(node, names.index("Press"))


class Window:
    """A running Trainscope; root is what a screen reader sees of it."""

    def __init__(self, *command, **options):
        import gi
        gi.require_version("Atspi", "2.0")
        self._launcher = subprocess.Popen(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"])
        self.process = subprocess.Popen(command, **options)

    def __enter__(self):
        self.root = until("the window", self._find)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self._launcher.terminate()
        self._launcher.wait()

    def _find(self):
        from gi.repository import Atspi
        if self.process.poll() is not None:
            print("the program ended with", self.process.returncode, "before its window was there")
            sys.exit(1)
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child is not None and child.get_name().lower() == "trainscope":
                return child
        return None

    def shown(self, name, *roles):
        """The parts of that name that are shown."""
        return [node for node in nodes(self.root)
                if node.get_name() == name and is_shown(node) and (not roles or node.get_role() in roles)]

    def tab(self, view):
        """The tab that shows a view, after its place has been opened: its own, or that of the place that has no other."""
        place = next((place for place, views in PLACES.items() if view in views), view)
        tabs = until("the place " + place, lambda: self._tabs("Places", place))
        if not is_selected(tabs[0]):
            press(tabs[0])
            until("the place " + place + ", open", lambda: is_selected(self._tabs("Places", place)[0]))
        if place not in PLACES:
            return self._tabs("Places", place)[0]
        return until("the tab of the view " + view, lambda: self._tabs("Views of " + place, view))[0]

    def _tabs(self, row, name):
        return [node for node in self.shown(name) if node.get_parent() is not None
                and (node.get_parent().get_name() == row)]


# Places of several views.
PLACES = {"Overview": ["Overview", "Findings", "Spectrum"], "Machine": ["Layout", "Heatmap"],
          "Kernels": ["Kernels", "Replay"], "Compare": ["Compare", "Sweep"], "Data": ["Runs", "History", "Query"]}


def is_selected(node):
    from gi.repository import Atspi
    return node.get_state_set().contains(Atspi.StateType.SELECTED)
