#include "app/viewmodels/timeline/TimelineKeys.h"

#include <array>

namespace trainscope::app {
namespace {

using C = TimelineCommand;

struct Binding {
    int key;
    Qt::KeyboardModifiers modifiers;
    C command;
};

// Shift is ignored where the table has none: `+` and `/` need it on many keyboards.
const std::array kBindings{Binding{Qt::Key_W, {}, C::ZoomIn}, Binding{Qt::Key_Plus, {}, C::ZoomIn},
    Binding{Qt::Key_Equal, {}, C::ZoomIn}, Binding{Qt::Key_S, {}, C::ZoomOut},
    Binding{Qt::Key_Minus, {}, C::ZoomOut}, Binding{Qt::Key_A, {}, C::PanLeft},
    Binding{Qt::Key_D, {}, C::PanRight}, Binding{Qt::Key_Left, {}, C::StepLeft},
    Binding{Qt::Key_Right, {}, C::StepRight}, Binding{Qt::Key_Comma, {}, C::PreviousSpan},
    Binding{Qt::Key_Period, {}, C::NextSpan}, Binding{Qt::Key_Up, {}, C::LaneUp},
    Binding{Qt::Key_Down, {}, C::LaneDown}, Binding{Qt::Key_Up, Qt::AltModifier, C::MoveLaneUp},
    Binding{Qt::Key_Down, Qt::AltModifier, C::MoveLaneDown},
    Binding{Qt::Key_Left, Qt::AltModifier, C::LowerLane},
    Binding{Qt::Key_Right, Qt::AltModifier, C::HigherLane}, Binding{Qt::Key_F, {}, C::FitSelection},
    Binding{Qt::Key_0, {}, C::ShowAll}, Binding{Qt::Key_M, {}, C::Mark},
    Binding{Qt::Key_BracketLeft, {}, C::PreviousMark},
    Binding{Qt::Key_BracketRight, {}, C::NextMark}, Binding{Qt::Key_Delete, {}, C::RemoveMark},
    Binding{Qt::Key_Slash, {}, C::Search}, Binding{Qt::Key_F, Qt::ControlModifier, C::Search},
    Binding{Qt::Key_Escape, {}, C::Clear}, Binding{Qt::Key_Z, Qt::ControlModifier, C::Undo},
    Binding{Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier, C::Redo},
    Binding{Qt::Key_Y, Qt::ControlModifier, C::Redo}};

} // namespace

std::optional<TimelineCommand> timelineCommand(int key, Qt::KeyboardModifiers modifiers) {
    const auto held
        = modifiers & ~Qt::KeyboardModifiers(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    std::optional<TimelineCommand> withoutShift;
    for (const auto& binding : kBindings) {
        if (binding.key != key)
            continue;
        if (binding.modifiers == held)
            return binding.command;
        if (binding.modifiers == Qt::NoModifier && held == Qt::ShiftModifier)
            withoutShift = binding.command;
    }
    return withoutShift;
}

} // namespace trainscope::app
