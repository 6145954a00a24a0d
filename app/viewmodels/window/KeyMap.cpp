#include "app/viewmodels/window/KeyMap.h"

#include <algorithm>
#include <array>

namespace trainscope::app {

namespace {

// `sequences`: alternatives separated by blanks, in QKeySequence's portable spelling; empty for
// keys that a view handles. `shown`: what the sheet prints; empty: the sequences.
struct Entry {
    const char* id;
    const char* group;
    const char* sequences;
    const char* shown;
    const char* action;
};

constexpr auto kWindow = QT_TRANSLATE_NOOP("KeyMap", "Window");
constexpr auto kViews = QT_TRANSLATE_NOOP("KeyMap", "Views");
constexpr auto kRuns = QT_TRANSLATE_NOOP("KeyMap", "Runs");
constexpr auto kTimeline = QT_TRANSLATE_NOOP("KeyMap", "Timeline");
constexpr auto kLanes = QT_TRANSLATE_NOOP("KeyMap", "Lanes");
constexpr auto kLayout = QT_TRANSLATE_NOOP("KeyMap", "Layout");
constexpr auto kMouse = QT_TRANSLATE_NOOP("KeyMap", "Mouse on the timeline");

constexpr std::array kEntries{
    Entry{"open", kWindow, "Ctrl+O", "", QT_TRANSLATE_NOOP("KeyMap", "Open a run database")},
    Entry{"importFiles", kWindow, "Ctrl+I", "", QT_TRANSLATE_NOOP("KeyMap", "Import files")},
    Entry{"importFolder", kWindow, "Ctrl+Shift+I", "",
        QT_TRANSLATE_NOOP("KeyMap", "Import a folder")},
    Entry{"export", kWindow, "Ctrl+E", "", QT_TRANSLATE_NOOP("KeyMap", "Export what is shown")},
    Entry{"runList", kWindow, "Ctrl+B", "", QT_TRANSLATE_NOOP("KeyMap", "Show or hide the runs")},
    Entry{"inspector", kWindow, "Ctrl+J", "",
        QT_TRANSLATE_NOOP("KeyMap", "Show or hide the inspector")},
    Entry{"nextPane", kWindow, "F6", "", QT_TRANSLATE_NOOP("KeyMap", "To the next part")},
    Entry{"previousPane", kWindow, "Shift+F6", "",
        QT_TRANSLATE_NOOP("KeyMap", "To the previous part")},
    Entry{"mainMenu", kWindow, "F10", "", QT_TRANSLATE_NOOP("KeyMap", "Menu")},
    Entry{"fullScreen", kWindow, "F11", "", QT_TRANSLATE_NOOP("KeyMap", "Full screen")},
    Entry{"keys", kWindow, "? F1", "? F1", QT_TRANSLATE_NOOP("KeyMap", "All keys")},
    Entry{
        "closeDatabase", kWindow, "Ctrl+W", "", QT_TRANSLATE_NOOP("KeyMap", "Close the database")},
    Entry{"quit", kWindow, "Ctrl+Q", "", QT_TRANSLATE_NOOP("KeyMap", "Quit")},
    Entry{"close", kWindow, "", "Esc",
        QT_TRANSLATE_NOOP("KeyMap", "Close the sheet, clear the selection")},

    Entry{"view0", kViews, "Ctrl+1", "", QT_TRANSLATE_NOOP("KeyMap", "Timeline")},
    Entry{"view1", kViews, "Ctrl+2", "", QT_TRANSLATE_NOOP("KeyMap", "Layout")},
    Entry{"view2", kViews, "Ctrl+3", "", QT_TRANSLATE_NOOP("KeyMap", "Heatmap")},
    Entry{"view3", kViews, "Ctrl+4", "", QT_TRANSLATE_NOOP("KeyMap", "Kernels")},
    Entry{"view4", kViews, "Ctrl+5", "", QT_TRANSLATE_NOOP("KeyMap", "Sweep")},
    Entry{"view5", kViews, "Ctrl+6", "", QT_TRANSLATE_NOOP("KeyMap", "Spectrum")},
    Entry{"view6", kViews, "Ctrl+7", "", QT_TRANSLATE_NOOP("KeyMap", "Compare")},
    Entry{"view7", kViews, "Ctrl+8", "", QT_TRANSLATE_NOOP("KeyMap", "Findings")},

    Entry{"filter", kRuns, "Ctrl+L", "", QT_TRANSLATE_NOOP("KeyMap", "Filter the runs")},
    Entry{"runOnly", kRuns, "", "Enter", QT_TRANSLATE_NOOP("KeyMap", "Show only this run")},
    Entry{"runToggle", kRuns, "", "Space  Ctrl+Click",
        QT_TRANSLATE_NOOP("KeyMap", "Add it to what is shown, or take it away")},
    Entry{"runRename", kRuns, "", "F2", QT_TRANSLATE_NOOP("KeyMap", "Rename the run")},
    Entry{"runRemove", kRuns, "", "Delete", QT_TRANSLATE_NOOP("KeyMap", "Remove the run")},
    Entry{"runCopy", kRuns, "", "Ctrl+C", QT_TRANSLATE_NOOP("KeyMap", "Copy its name")},

    Entry{"search", kTimeline, "/ Ctrl+F", "/  Ctrl+F",
        QT_TRANSLATE_NOOP(
            "KeyMap", "Search kernels, metrics and marks; Enter, Shift+Enter: next, previous")},
    Entry{"zoom", kTimeline, "", "W  S  +  −", QT_TRANSLATE_NOOP("KeyMap", "Zoom in, zoom out")},
    Entry{"pan", kTimeline, "", "A  D", QT_TRANSLATE_NOOP("KeyMap", "Pan left, pan right")},
    Entry{"arrows", kTimeline, "", "←  →",
        QT_TRANSLATE_NOOP("KeyMap", "Pan a little; previous or next kernel when one is selected")},
    Entry{"spans", kTimeline, "", ",  .", QT_TRANSLATE_NOOP("KeyMap", "Previous, next kernel")},
    Entry{"fit", kTimeline, "", "F", QT_TRANSLATE_NOOP("KeyMap", "Fit the selection, or all")},
    Entry{"whole", kTimeline, "", "0", QT_TRANSLATE_NOOP("KeyMap", "The whole run")},
    Entry{"mark", kTimeline, "", "M",
        QT_TRANSLATE_NOOP("KeyMap", "Mark the selection, the cursor or the middle of the view")},
    Entry{"marks", kTimeline, "", "[  ]", QT_TRANSLATE_NOOP("KeyMap", "Previous, next mark")},
    Entry{"markRemove", kTimeline, "", "Delete",
        QT_TRANSLATE_NOOP("KeyMap", "Remove the mark at the cursor")},
    Entry{"undo", kTimeline, "", "Ctrl+Z", QT_TRANSLATE_NOOP("KeyMap", "Undo zoom or arrangement")},
    Entry{"redo", kTimeline, "", "Ctrl+Shift+Z  Ctrl+Y", QT_TRANSLATE_NOOP("KeyMap", "Redo")},

    Entry{"lanes", kLanes, "", "↑  ↓", QT_TRANSLATE_NOOP("KeyMap", "Previous, next lane")},
    Entry{"laneMove", kLanes, "", "Alt+↑  Alt+↓",
        QT_TRANSLATE_NOOP("KeyMap", "Move the lane up, down")},
    Entry{"laneHeight", kLanes, "", "Alt+←  Alt+→",
        QT_TRANSLATE_NOOP("KeyMap", "Make the lane lower, higher")},

    Entry{"ranks", kLayout, "", "←  →  ↑  ↓", QT_TRANSLATE_NOOP("KeyMap", "The next GPU that way")},
    Entry{"rankTimeline", kLayout, "", "Enter",
        QT_TRANSLATE_NOOP("KeyMap", "The selected GPU on the timeline")},
    Entry{"play", kLayout, "", "Space", QT_TRANSLATE_NOOP("KeyMap", "Play, pause")},
    Entry{"moments", kLayout, "", ",  .",
        QT_TRANSLATE_NOOP("KeyMap", "A hundredth of the run back, on")},

    Entry{"wheel", kMouse, "", "Wheel", QT_TRANSLATE_NOOP("KeyMap", "Scroll the lanes")},
    Entry{"ctrlWheel", kMouse, "", "Ctrl+Wheel  Pinch",
        QT_TRANSLATE_NOOP("KeyMap", "Zoom at the pointer")},
    Entry{"shiftWheel", kMouse, "", "Shift+Wheel  Shift+Drag  Middle drag",
        QT_TRANSLATE_NOOP("KeyMap", "Pan")},
    Entry{"drag", kMouse, "", "Drag", QT_TRANSLATE_NOOP("KeyMap", "Select a stretch of time")},
    Entry{"doubleClick", kMouse, "", "Double click",
        QT_TRANSLATE_NOOP("KeyMap", "Zoom to the kernel or the selection")},
};

QString shown(const Entry& entry) {
    const auto text = QString::fromUtf8(entry.shown);
    return text.isEmpty() ? QString::fromLatin1(entry.sequences) : text;
}

const Entry* find(const QString& id) {
    const auto wanted = id.toStdString();
    const auto found = std::find_if(kEntries.begin(), kEntries.end(),
        [&wanted](const Entry& entry) { return wanted == entry.id; });
    return found == kEntries.end() ? nullptr : &*found;
}

} // namespace

KeyMap::KeyMap(QObject* parent)
    : RowListModel(
        {{"group", &KeyLine::group}, {"keys", &KeyLine::keys}, {"action", &KeyLine::action}},
        parent) {
    std::vector<KeyLine> lines;
    const char* group = nullptr;
    for (const auto& entry : kEntries) {
        lines.push_back(
            {group == entry.group ? QString() : tr(entry.group), shown(entry), tr(entry.action)});
        group = entry.group;
    }
    resetRows(std::move(lines));
}

QVariantList KeyMap::sequences(const QString& id) const {
    const auto* entry = find(id);
    if (entry == nullptr)
        return {};
    QVariantList sequences;
    const auto texts = QString::fromLatin1(entry->sequences);
    for (const auto& text : texts.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        sequences.append(text);
    return sequences;
}

QString KeyMap::hint(const QString& id) const {
    const auto* entry = find(id);
    return entry == nullptr ? QString() : shown(*entry).section(QLatin1Char(' '), 0, 0);
}

} // namespace trainscope::app
