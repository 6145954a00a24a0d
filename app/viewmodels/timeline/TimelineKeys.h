#pragma once
// The keys of the timeline as commands; KeyMap.h has their texts for the help.

#include <Qt>

#include <optional>

namespace trainscope::app {

enum class TimelineCommand {
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    StepLeft, // previous span when one is selected, else a small pan
    StepRight,
    PreviousSpan,
    NextSpan,
    LaneUp,
    LaneDown,
    MoveLaneUp,
    MoveLaneDown,
    LowerLane,
    HigherLane,
    FitSelection,
    ShowAll,
    Mark,
    PreviousMark,
    NextMark,
    RemoveMark,
    Search,
    Clear,
    Undo,
    Redo,
};

std::optional<TimelineCommand> timelineCommand(int key, Qt::KeyboardModifiers modifiers);

} // namespace trainscope::app
