#include "app/manual/Keys.h"

#include <QtGlobal>

#include <array>

namespace trainscope::app {

namespace {

constexpr auto kWindow = QT_TRANSLATE_NOOP("KeyMap", "Window");
constexpr auto kViews = QT_TRANSLATE_NOOP("KeyMap", "Views");
constexpr auto kRuns = QT_TRANSLATE_NOOP("KeyMap", "Runs");
constexpr auto kRunTable = QT_TRANSLATE_NOOP("KeyMap", "Table of runs");
constexpr auto kTimeline = QT_TRANSLATE_NOOP("KeyMap", "Timeline");
constexpr auto kLanes = QT_TRANSLATE_NOOP("KeyMap", "Lanes");
constexpr auto kLayout = QT_TRANSLATE_NOOP("KeyMap", "Layout");
constexpr auto kFigures = QT_TRANSLATE_NOOP("KeyMap", "Figures");
constexpr auto kFindings = QT_TRANSLATE_NOOP("KeyMap", "Findings");
constexpr auto kQuery = QT_TRANSLATE_NOOP("KeyMap", "Query");
constexpr auto kOperators = QT_TRANSLATE_NOOP("KeyMap", "Operators");
constexpr auto kMouse = QT_TRANSLATE_NOOP("KeyMap", "Mouse on the timeline");

constexpr std::array kEntries{
    KeyEntry{"open", kWindow, "Ctrl+O", "", QT_TRANSLATE_NOOP("KeyMap", "Open a run database")},
    KeyEntry{"importFiles", kWindow, "Ctrl+I", "", QT_TRANSLATE_NOOP("KeyMap", "Import files")},
    KeyEntry{"importFolder", kWindow, "Ctrl+Shift+I", "",
        QT_TRANSLATE_NOOP("KeyMap", "Import a folder")},
    KeyEntry{"connect", kWindow, "Ctrl+Shift+O", "",
        QT_TRANSLATE_NOOP("KeyMap", "Connect to a monitoring engine")},
    KeyEntry{"export", kWindow, "Ctrl+E", "", QT_TRANSLATE_NOOP("KeyMap", "Export what is shown")},
    KeyEntry{
        "runList", kWindow, "Ctrl+B", "", QT_TRANSLATE_NOOP("KeyMap", "Show or hide the runs")},
    KeyEntry{"inspector", kWindow, "Ctrl+J", "",
        QT_TRANSLATE_NOOP("KeyMap", "Show or hide the inspector")},
    KeyEntry{"nextPane", kWindow, "F6", "", QT_TRANSLATE_NOOP("KeyMap", "To the next part")},
    KeyEntry{"previousPane", kWindow, "Shift+F6", "",
        QT_TRANSLATE_NOOP("KeyMap", "To the previous part")},
    KeyEntry{"mainMenu", kWindow, "F10", "", QT_TRANSLATE_NOOP("KeyMap", "Menu")},
    KeyEntry{"fullScreen", kWindow, "F11", "", QT_TRANSLATE_NOOP("KeyMap", "Full screen")},
    KeyEntry{"manual", kWindow, "F1", "",
        QT_TRANSLATE_NOOP("KeyMap", "The manual, at the page of the view")},
    KeyEntry{"keys", kWindow, "?", "", QT_TRANSLATE_NOOP("KeyMap", "All keys")},
    KeyEntry{
        "closeDatabase", kWindow, "Ctrl+W", "", QT_TRANSLATE_NOOP("KeyMap", "Close the database")},
    KeyEntry{"quit", kWindow, "Ctrl+Q", "", QT_TRANSLATE_NOOP("KeyMap", "Quit")},
    KeyEntry{"close", kWindow, "", "Esc",
        QT_TRANSLATE_NOOP("KeyMap", "Close the sheet, clear the selection")},
    KeyEntry{"divider", kWindow, "", "←  →  ↑  ↓",
        QT_TRANSLATE_NOOP("KeyMap", "On the line between two parts: move it")},

    KeyEntry{"place0", kViews, "Alt+1", "", QT_TRANSLATE_NOOP("KeyMap", "Overview")},
    KeyEntry{"place1", kViews, "Alt+2", "", QT_TRANSLATE_NOOP("KeyMap", "Timeline")},
    KeyEntry{"place2", kViews, "Alt+3", "", QT_TRANSLATE_NOOP("KeyMap", "Machine")},
    KeyEntry{"place3", kViews, "Alt+4", "",
        QT_TRANSLATE_NOOP("KeyMap", "Kernels, or operators where they were shown last")},
    KeyEntry{"place4", kViews, "Alt+5", "",
        QT_TRANSLATE_NOOP("KeyMap", "Compare, or sweep where it was shown last")},
    KeyEntry{"place5", kViews, "Alt+6", "", QT_TRANSLATE_NOOP("KeyMap", "Predict")},
    KeyEntry{"place6", kViews, "Alt+7", "", QT_TRANSLATE_NOOP("KeyMap", "Data")},
    KeyEntry{"view0", kViews, "Ctrl+1", "", QT_TRANSLATE_NOOP("KeyMap", "Timeline")},
    KeyEntry{"view1", kViews, "Ctrl+2", "", QT_TRANSLATE_NOOP("KeyMap", "Layout")},
    KeyEntry{"view2", kViews, "Ctrl+3", "", QT_TRANSLATE_NOOP("KeyMap", "Heatmap")},
    KeyEntry{"view3", kViews, "Ctrl+4", "", QT_TRANSLATE_NOOP("KeyMap", "Kernels")},
    KeyEntry{"view4", kViews, "Ctrl+5", "", QT_TRANSLATE_NOOP("KeyMap", "Sweep")},
    KeyEntry{"view5", kViews, "Ctrl+6", "", QT_TRANSLATE_NOOP("KeyMap", "Spectrum")},
    KeyEntry{"view6", kViews, "Ctrl+7", "", QT_TRANSLATE_NOOP("KeyMap", "Compare")},
    KeyEntry{"view7", kViews, "Ctrl+8", "", QT_TRANSLATE_NOOP("KeyMap", "Findings")},
    KeyEntry{"view8", kViews, "Ctrl+9", "", QT_TRANSLATE_NOOP("KeyMap", "Query")},
    KeyEntry{"view9", kViews, "Ctrl+0", "", QT_TRANSLATE_NOOP("KeyMap", "Runs")},
    KeyEntry{"view10", kViews, "Ctrl+P", "", QT_TRANSLATE_NOOP("KeyMap", "Predict")},
    KeyEntry{"view11", kViews, "Ctrl+K", "", QT_TRANSLATE_NOOP("KeyMap", "Operators")},

    KeyEntry{"filter", kRuns, "Ctrl+L", "", QT_TRANSLATE_NOOP("KeyMap", "Filter the runs")},
    KeyEntry{"runOnly", kRuns, "", "Enter", QT_TRANSLATE_NOOP("KeyMap", "Show only this run")},
    KeyEntry{"runToggle", kRuns, "", "Space  Ctrl+Click",
        QT_TRANSLATE_NOOP("KeyMap", "Add it to what is shown, or take it away")},
    KeyEntry{"runRange", kRuns, "", "Shift+Click  Shift+↑  Shift+↓",
        QT_TRANSLATE_NOOP("KeyMap", "Show the runs between")},
    KeyEntry{"runAll", kRuns, "", "Ctrl+A",
        QT_TRANSLATE_NOOP("KeyMap", "Show all runs, or all that the filter leaves")},
    KeyEntry{"runFold", kRuns, "", "←  →", QT_TRANSLATE_NOOP("KeyMap", "Fold, unfold the folder")},
    KeyEntry{"runRename", kRuns, "", "F2", QT_TRANSLATE_NOOP("KeyMap", "Rename the run")},
    KeyEntry{"runRemove", kRuns, "", "Delete", QT_TRANSLATE_NOOP("KeyMap", "Remove the run")},
    KeyEntry{"runMenu", kRuns, "", "Menu",
        QT_TRANSLATE_NOOP("KeyMap", "What can be done with the run, or the folder")},
    KeyEntry{"runCopy", kRuns, "", "Ctrl+C", QT_TRANSLATE_NOOP("KeyMap", "Copy its name")},

    KeyEntry{"tableTimeline", kRunTable, "", "Enter",
        QT_TRANSLATE_NOOP("KeyMap", "The chosen runs on the timeline")},
    KeyEntry{
        "tableCompare", kRunTable, "", "C", QT_TRANSLATE_NOOP("KeyMap", "Compare the chosen runs")},
    KeyEntry{"tableSweep", kRunTable, "", "S",
        QT_TRANSLATE_NOOP("KeyMap", "The chosen runs as a sweep")},
    KeyEntry{"tableHeatmap", kRunTable, "", "H",
        QT_TRANSLATE_NOOP("KeyMap", "The chosen runs as a heat map")},
    KeyEntry{"tableTags", kRunTable, "", "T  Double click",
        QT_TRANSLATE_NOOP("KeyMap", "Edit the tags of the run")},
    KeyEntry{"tableNote", kRunTable, "", "N  Double click",
        QT_TRANSLATE_NOOP("KeyMap", "Edit the note of the run")},
    KeyEntry{"tableUndo", kRunTable, "", "Ctrl+Z  Ctrl+Shift+Z",
        QT_TRANSLATE_NOOP("KeyMap", "Undo, redo a change of tags or notes")},
    KeyEntry{
        "tableCopy", kRunTable, "", "Ctrl+C", QT_TRANSLATE_NOOP("KeyMap", "Copy the chosen rows")},

    KeyEntry{"search", kTimeline, "/ Ctrl+F", "/  Ctrl+F",
        QT_TRANSLATE_NOOP(
            "KeyMap", "Search kernels, metrics and marks; Enter, Shift+Enter: next, previous")},
    KeyEntry{"zoom", kTimeline, "", "W  S  +  −", QT_TRANSLATE_NOOP("KeyMap", "Zoom in, zoom out")},
    KeyEntry{"pan", kTimeline, "", "A  D", QT_TRANSLATE_NOOP("KeyMap", "Pan left, pan right")},
    KeyEntry{"cursor", kTimeline, "", "←  →",
        QT_TRANSLATE_NOOP("KeyMap", "Move the cursor; to the next kernel when one is selected")},
    KeyEntry{"cursorFine", kTimeline, "", "Ctrl+←  Ctrl+→",
        QT_TRANSLATE_NOOP("KeyMap", "Move the cursor a little")},
    KeyEntry{"cursorView", kTimeline, "", "Home  End",
        QT_TRANSLATE_NOOP("KeyMap", "The cursor to the edges of the view")},
    KeyEntry{"cursorWhole", kTimeline, "", "Ctrl+Home  Ctrl+End",
        QT_TRANSLATE_NOOP("KeyMap", "The cursor to the ends of the run")},
    KeyEntry{"cursorSelect", kTimeline, "", "Shift+←  Shift+→  Shift+Home  Shift+End",
        QT_TRANSLATE_NOOP("KeyMap", "Select from the cursor on; with Ctrl too")},
    KeyEntry{"spans", kTimeline, "", ",  .",
        QT_TRANSLATE_NOOP("KeyMap", "Previous, next kernel; from the cursor on at first")},
    KeyEntry{"fit", kTimeline, "", "F", QT_TRANSLATE_NOOP("KeyMap", "Fit the selection, or all")},
    KeyEntry{"whole", kTimeline, "", "0", QT_TRANSLATE_NOOP("KeyMap", "The whole run")},
    KeyEntry{"mark", kTimeline, "", "M",
        QT_TRANSLATE_NOOP("KeyMap", "Mark the selection, the cursor or the middle of the view")},
    KeyEntry{"marks", kTimeline, "", "[  ]", QT_TRANSLATE_NOOP("KeyMap", "Previous, next mark")},
    KeyEntry{"markRemove", kTimeline, "", "Delete",
        QT_TRANSLATE_NOOP("KeyMap", "Remove the mark at the cursor")},
    KeyEntry{"crossings", kTimeline, "", "Shift+L  L",
        QT_TRANSLATE_NOOP("KeyMap", "To where power rose, next rises above its limit")},
    KeyEntry{"undo", kTimeline, "", "Ctrl+Z",
        QT_TRANSLATE_NOOP("KeyMap", "Undo zoom, arrangement or marks")},
    KeyEntry{"redo", kTimeline, "", "Ctrl+Shift+Z  Ctrl+Y", QT_TRANSLATE_NOOP("KeyMap", "Redo")},

    KeyEntry{"lanes", kLanes, "", "↑  ↓", QT_TRANSLATE_NOOP("KeyMap", "Previous, next lane")},
    KeyEntry{"laneMove", kLanes, "", "Alt+↑  Alt+↓",
        QT_TRANSLATE_NOOP("KeyMap", "Move the lane up, down")},
    KeyEntry{"laneHeight", kLanes, "", "Alt+←  Alt+→",
        QT_TRANSLATE_NOOP("KeyMap", "Make the lane lower, higher")},

    KeyEntry{
        "ranks", kLayout, "", "←  →  ↑  ↓", QT_TRANSLATE_NOOP("KeyMap", "The next GPU that way")},
    KeyEntry{"rankTimeline", kLayout, "", "Enter",
        QT_TRANSLATE_NOOP("KeyMap", "The selected GPU on the timeline")},
    KeyEntry{"play", kLayout, "", "Space", QT_TRANSLATE_NOOP("KeyMap", "Play, pause")},
    KeyEntry{"moments", kLayout, "", ",  .",
        QT_TRANSLATE_NOOP("KeyMap", "A hundredth of the run back, on")},

    KeyEntry{"layoutScroll", kLayout, "", "PgUp  PgDown",
        QT_TRANSLATE_NOOP("KeyMap", "Scroll the diagrams")},

    KeyEntry{"figureStep", kFigures, "", "←  →  ↑  ↓",
        QT_TRANSLATE_NOOP("KeyMap", "The next value that way")},
    KeyEntry{"figureOpen", kFigures, "", "Enter",
        QT_TRANSLATE_NOOP("KeyMap", "What is selected, on the timeline")},
    KeyEntry{"figureScroll", kFigures, "", "PgUp  PgDown",
        QT_TRANSLATE_NOOP("KeyMap", "Scroll a figure that is higher than the view")},

    KeyEntry{"findingOpen", kFindings, "", "Enter",
        QT_TRANSLATE_NOOP("KeyMap", "The evidence of the finding")},
    KeyEntry{"findingCopy", kFindings, "", "Ctrl+C",
        QT_TRANSLATE_NOOP("KeyMap", "Copy the finding as text")},

    KeyEntry{"queryRun", kQuery, "", "Ctrl+Enter",
        QT_TRANSLATE_NOOP("KeyMap", "Ask what is in the editor, or what is selected there")},
    KeyEntry{"queryStop", kQuery, "", "Esc", QT_TRANSLATE_NOOP("KeyMap", "Stop the query")},
    KeyEntry{"queryCopy", kQuery, "", "Ctrl+C",
        QT_TRANSLATE_NOOP("KeyMap", "In the table: copy the row")},

    KeyEntry{"operatorsFold", kOperators, "", "←  →",
        QT_TRANSLATE_NOOP("KeyMap", "Fold, unfold the row; to its caller")},
    KeyEntry{"operatorsOpen", kOperators, "", "Enter  Double click",
        QT_TRANSLATE_NOOP("KeyMap", "Its longest kernel on the timeline")},
    KeyEntry{"operatorsSearch", kOperators, "", "/",
        QT_TRANSLATE_NOOP("KeyMap", "Search frames; their callers stay")},
    KeyEntry{"operatorsZoom", kOperators, "", "Z",
        QT_TRANSLATE_NOOP("KeyMap", "The selected frame fills the flame graph")},
    KeyEntry{"operatorsWhole", kOperators, "", "U",
        QT_TRANSLATE_NOOP("KeyMap", "The whole flame graph")},
    KeyEntry{
        "operatorsCopy", kOperators, "", "Ctrl+C", QT_TRANSLATE_NOOP("KeyMap", "Copy the row")},

    KeyEntry{"wheel", kMouse, "", "Wheel", QT_TRANSLATE_NOOP("KeyMap", "Scroll the lanes")},
    KeyEntry{"ctrlWheel", kMouse, "", "Ctrl+Wheel  Pinch",
        QT_TRANSLATE_NOOP("KeyMap", "Zoom at the pointer")},
    KeyEntry{"shiftWheel", kMouse, "", "Shift+Wheel  Shift+Drag  Middle drag",
        QT_TRANSLATE_NOOP("KeyMap", "Pan")},
    KeyEntry{"drag", kMouse, "", "Drag", QT_TRANSLATE_NOOP("KeyMap", "Select a stretch of time")},
    KeyEntry{"doubleClick", kMouse, "", "Double click",
        QT_TRANSLATE_NOOP("KeyMap", "Zoom to the kernel or the selection")},
};

} // namespace

std::span<const KeyEntry> keyEntries() {
    return kEntries;
}

std::string shownKeys(const KeyEntry& entry) {
    const std::string shown = entry.shown;
    return shown.empty() ? entry.sequences : shown;
}

} // namespace trainscope::app
