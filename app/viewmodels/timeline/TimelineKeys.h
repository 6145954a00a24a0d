#pragma once
// The keys of the timeline as commands; app/manual/Keys.h has their texts for the help.

#include <Qt>

#include <optional>
#include <span>

namespace trainscope::app {

enum class TimelineCommand {
    ZoomIn,
    ZoomOut,
    PanLeft,
    PanRight,
    StepLeft, // previous span when one is selected, else the cursor
    StepRight,
    FineLeft, // the cursor
    FineRight,
    ViewBegin,
    ViewEnd,
    WholeBegin,
    WholeEnd,
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
    PreviousStretch, // stretches in the head
    NextStretch,
    NextStrip, // strips in the head
    PreviousMatch, // matches of the search
    NextMatch,
    PreviousCrossing, // upward crossings of the power limit
    NextCrossing,
    Search,
    Lanes, // their list
    DeriveLane, // from the current one
    Clear,
    Undo,
    Redo,
};

struct TimelineBinding {
    int key;
    Qt::KeyboardModifiers modifiers;
    TimelineCommand command;
};

std::span<const TimelineBinding> timelineBindings();
// Shift is ignored where no binding has it: `+` and `/` need it on many keyboards, and with a
// command that moves the cursor it selects.
std::optional<TimelineCommand> timelineCommand(int key, Qt::KeyboardModifiers modifiers);

} // namespace trainscope::app
