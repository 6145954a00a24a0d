#include "app/manual/Keys.h"

#include <array>

namespace trainscope::app {

namespace {

constexpr auto kWindow = "Window";
constexpr auto kViews = "Views";
constexpr auto kRuns = "Runs";
constexpr auto kRunTable = "Table of runs";
constexpr auto kTimeline = "Timeline";
constexpr auto kLanes = "Lanes";
constexpr auto kLaneList = "List of lanes";
constexpr auto kLayout = "Layout";
constexpr auto kFigures = "Figures";
constexpr auto kFindings = "Findings";
constexpr auto kQuery = "Query";
constexpr auto kKernels = "Kernels";
constexpr auto kIterations = "Iterations";
constexpr auto kMouse = "Mouse on the timeline";

constexpr std::array kEntries{
    KeyEntry{"open", kWindow, "Ctrl+O", "", "Open a run database"},
    KeyEntry{"importFiles", kWindow, "Ctrl+I", "", "Import files"},
    KeyEntry{"importFolder", kWindow, "Ctrl+Shift+I", "", "Import a folder"},
    KeyEntry{"connect", kWindow, "Ctrl+Shift+O", "", "Connect to a monitoring engine"},
    KeyEntry{"undoImport", kWindow, "", "Ctrl+Z",
        "Undo the last import, where a view has nothing to undo"},
    KeyEntry{"export", kWindow, "Ctrl+E", "", "Export what is shown"},
    KeyEntry{"runList", kWindow, "Ctrl+B", "", "Show or hide the runs"},
    KeyEntry{"inspector", kWindow, "Ctrl+J", "", "Show or hide the inspector"},
    KeyEntry{"nextPane", kWindow, "F6", "", "To the next part"},
    KeyEntry{"previousPane", kWindow, "Shift+F6", "", "To the previous part"},
    KeyEntry{"mainMenu", kWindow, "F10", "", "Menu"},
    KeyEntry{"fullScreen", kWindow, "F11", "", "Full screen"},
    KeyEntry{"manual", kWindow, "F1", "", "The manual, at the page of the view"},
    KeyEntry{"keys", kWindow, "?", "", "All keys"},
    KeyEntry{"closeDatabase", kWindow, "Ctrl+W", "", "Close the database"},
    KeyEntry{"quit", kWindow, "Ctrl+Q", "", "Quit"},
    KeyEntry{"close", kWindow, "", "Esc", "Close the sheet, clear the selection"},
    KeyEntry{"divider", kWindow, "", "←  →  ↑  ↓", "On the line between two parts: move it"},

    KeyEntry{"place0", kViews, "Alt+1", "", "Overview"},
    KeyEntry{"place1", kViews, "Alt+2", "", "Timeline"},
    KeyEntry{"place2", kViews, "Alt+3", "", "Machine"},
    KeyEntry{"place3", kViews, "Alt+4", "",
        "Kernels, or iterations or replay where these were shown last"},
    KeyEntry{"place4", kViews, "Alt+5", "", "Compare, or sweep where it was shown last"},
    KeyEntry{"place5", kViews, "Alt+6", "", "Predict"},
    KeyEntry{"place6", kViews, "Alt+7", "", "Data"},
    KeyEntry{"view0", kViews, "Ctrl+1", "", "Timeline"},
    KeyEntry{"view1", kViews, "Ctrl+2", "", "Layout"},
    KeyEntry{"view2", kViews, "Ctrl+3", "", "Heatmap"},
    KeyEntry{"view3", kViews, "Ctrl+4 Ctrl+K", "Ctrl+4  Ctrl+K", "Kernels"},
    KeyEntry{"view4", kViews, "Ctrl+5", "", "Sweep"},
    KeyEntry{"view5", kViews, "Ctrl+6", "", "Spectrum"},
    KeyEntry{"view6", kViews, "Ctrl+7", "", "Compare"},
    KeyEntry{"view7", kViews, "Ctrl+8", "", "Findings"},
    KeyEntry{"view8", kViews, "Ctrl+9", "", "Query"},
    KeyEntry{"view9", kViews, "Ctrl+0", "", "Runs"},
    KeyEntry{"view10", kViews, "Ctrl+P", "", "Predict"},
    KeyEntry{"view12", kViews, "Ctrl+R", "", "Replay"},
    KeyEntry{"view13", kViews, "Ctrl+T", "", "Iterations"},

    KeyEntry{"filter", kRuns, "Ctrl+L", "", "Filter the runs"},
    KeyEntry{"runOnly", kRuns, "", "Enter", "Show only this run"},
    KeyEntry{
        "runToggle", kRuns, "", "Space  Ctrl+Click", "Add it to what is shown, or take it away"},
    KeyEntry{"runRange", kRuns, "", "Shift+Click  Shift+↑  Shift+↓", "Show the runs between"},
    KeyEntry{"runAll", kRuns, "", "Ctrl+A", "Show all runs, or all that the filter leaves"},
    KeyEntry{"runFold", kRuns, "", "←  →", "Fold, unfold the folder"},
    KeyEntry{"runRename", kRuns, "", "F2", "Rename the run"},
    KeyEntry{"runRemove", kRuns, "", "Delete", "Remove the run"},
    KeyEntry{"runMenu", kRuns, "", "Menu", "What can be done with the run, or the folder"},
    KeyEntry{"runCopy", kRuns, "", "Ctrl+C", "Copy its name"},

    KeyEntry{"tableTimeline", kRunTable, "", "Enter", "The chosen runs on the timeline"},
    KeyEntry{"tableCompare", kRunTable, "", "C", "Compare the chosen runs"},
    KeyEntry{"tableSweep", kRunTable, "", "S", "The chosen runs as a sweep"},
    KeyEntry{"tableHeatmap", kRunTable, "", "H", "The chosen runs as a heat map"},
    KeyEntry{"tableTags", kRunTable, "", "T  Double click", "Edit the tags of the run"},
    KeyEntry{"tableNote", kRunTable, "", "N  Double click", "Edit the note of the run"},
    KeyEntry{
        "tableUndo", kRunTable, "", "Ctrl+Z  Ctrl+Shift+Z", "Undo, redo a change of tags or notes"},
    KeyEntry{"tableCopy", kRunTable, "", "Ctrl+C", "Copy the chosen rows"},

    KeyEntry{"search", kTimeline, "/ Ctrl+F", "/  Ctrl+F",
        "Search kernels, metrics and marks; Enter, Shift+Enter: next, previous"},
    KeyEntry{"matches", kTimeline, "", "F3  Shift+F3", "Next, previous hit of the search"},
    KeyEntry{"zoom", kTimeline, "", "W  S  +  −", "Zoom in, zoom out"},
    KeyEntry{"pan", kTimeline, "", "A  D", "Pan left, pan right"},
    KeyEntry{"cursor", kTimeline, "", "←  →",
        "Move the cursor; to the next kernel when one is selected"},
    KeyEntry{"cursorFine", kTimeline, "", "Ctrl+←  Ctrl+→", "Move the cursor a little"},
    KeyEntry{"cursorView", kTimeline, "", "Home  End", "The cursor to the edges of the view"},
    KeyEntry{
        "cursorWhole", kTimeline, "", "Ctrl+Home  Ctrl+End", "The cursor to the ends of the run"},
    KeyEntry{"cursorSelect", kTimeline, "", "Shift+←  Shift+→  Shift+Home  Shift+End",
        "Select from the cursor on; with Ctrl too"},
    KeyEntry{"spans", kTimeline, "", ",  .", "Previous, next kernel; from the cursor on at first"},
    KeyEntry{"stretches", kTimeline, "", "P  N",
        "Previous, next iteration of the head, or capture, or phase; with Shift all up to it"},
    KeyEntry{"strips", kTimeline, "", "G",
        "To the next strip of the head: phases, captures, iterations"},
    KeyEntry{"fit", kTimeline, "", "F", "Fit the selection, or all"},
    KeyEntry{"whole", kTimeline, "", "0", "The whole run"},
    KeyEntry{
        "mark", kTimeline, "", "M", "Mark the selection, the cursor or the middle of the view"},
    KeyEntry{"marks", kTimeline, "", "[  ]", "Previous, next mark"},
    KeyEntry{"markRemove", kTimeline, "", "Delete", "Remove the mark at the cursor"},
    KeyEntry{"crossings", kTimeline, "", "Shift+L  L",
        "To where power rose, next rises above its limit"},
    KeyEntry{"criticalPath", kTimeline, "", "C", "Show or hide the critical path"},
    KeyEntry{
        "whatIf", kTimeline, "", "I", "A step if the selected kernel took half the time, or none"},
    KeyEntry{"undo", kTimeline, "", "Ctrl+Z", "Undo zoom, arrangement or marks"},
    KeyEntry{"redo", kTimeline, "", "Ctrl+Shift+Z  Ctrl+Y", "Redo"},

    KeyEntry{"lanes", kLanes, "", "↑  ↓", "Previous, next lane"},
    KeyEntry{"laneMove", kLanes, "", "Alt+↑  Alt+↓", "Move the lane up, down"},
    KeyEntry{"laneHeight", kLanes, "", "Alt+←  Alt+→", "Make the lane lower, higher"},
    KeyEntry{"laneList", kLanes, "", "E", "Show or hide the list of lanes"},
    KeyEntry{"derive", kLanes, "", "Shift+E", "Derive a lane from the lane"},

    KeyEntry{"listWalk", kLaneList, "", "↑  ↓", "The rows, from the search on"},
    KeyEntry{"listToggle", kLaneList, "", "Space", "Show the lane, or take it away"},
    KeyEntry{"listAdd", kLaneList, "", "Enter", "Add the lane, and go to it"},
    KeyEntry{"listMove", kLaneList, "", "Alt+↑  Alt+↓", "Move the lane up, down"},
    KeyEntry{"listHeight", kLaneList, "", "Alt+←  Alt+→", "Make the lane lower, higher"},

    KeyEntry{"ranks", kLayout, "", "←  →  ↑  ↓", "The next GPU that way"},
    KeyEntry{"rankTimeline", kLayout, "", "Enter", "The selected GPU on the timeline"},
    KeyEntry{"play", kLayout, "", "Space", "Play, pause"},
    KeyEntry{"moments", kLayout, "", ",  .", "A hundredth of the run back, on"},

    KeyEntry{"layoutScroll", kLayout, "", "PgUp  PgDown", "Scroll the diagrams"},

    KeyEntry{"figureStep", kFigures, "", "←  →  ↑  ↓", "The next value that way"},
    KeyEntry{"figureOpen", kFigures, "", "Enter", "What is selected, on the timeline"},
    KeyEntry{"figureScroll", kFigures, "", "PgUp  PgDown",
        "Scroll a figure that is higher than the view"},

    KeyEntry{"findingOpen", kFindings, "", "Enter", "The evidence of the finding"},
    KeyEntry{"findingCopy", kFindings, "", "Ctrl+C", "Copy the finding as text"},

    KeyEntry{"queryRun", kQuery, "", "Ctrl+Enter",
        "Ask what is in the editor, or what is selected there"},
    KeyEntry{"queryStop", kQuery, "", "Esc", "Stop the query"},
    KeyEntry{"queryCopy", kQuery, "", "Ctrl+C", "In the table: copy the row"},

    KeyEntry{"kernelsFold", kKernels, "", "←  →", "Fold, unfold the row; to its caller"},
    KeyEntry{
        "kernelsOpen", kKernels, "", "Enter  Double click", "Its longest kernel on the timeline"},
    KeyEntry{"kernelsSearch", kKernels, "", "/", "Search frames; their callers stay"},
    KeyEntry{"kernelsZoom", kKernels, "", "Z", "The selected frame fills the flame graph"},
    KeyEntry{"kernelsWhole", kKernels, "", "U", "The whole flame graph"},
    KeyEntry{"kernelsCopy", kKernels, "", "Ctrl+C", "Copy the row"},

    KeyEntry{
        "iterationOpen", kIterations, "", "Enter  Double click", "The iteration on the timeline"},
    KeyEntry{"iterationCompare", kIterations, "", "Ctrl+Click  Shift+↑  Shift+↓",
        "Compare it with the one that was chosen before"},
    KeyEntry{"iterationCopy", kIterations, "", "Ctrl+C", "Copy the row"},

    KeyEntry{"wheel", kMouse, "", "Wheel", "Scroll the lanes"},
    KeyEntry{"ctrlWheel", kMouse, "", "Ctrl+Wheel  Pinch", "Zoom at the pointer"},
    KeyEntry{"shiftWheel", kMouse, "", "Shift+Wheel  Shift+Drag  Middle drag", "Pan"},
    KeyEntry{"drag", kMouse, "", "Drag", "Select a stretch of time"},
    KeyEntry{"click", kMouse, "", "Click", "Select the kernel, iteration, capture or phase"},
    KeyEntry{"shiftClick", kMouse, "", "Shift+Click", "Select all up to it, too"},
    KeyEntry{"doubleClick", kMouse, "", "Double click",
        "Zoom to the kernel, iteration, capture, phase or selection"},
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
