#include "app/viewmodels/timeline/TimelineKeys.h"

#include <array>

namespace trainscope::app {
namespace {

using C = TimelineCommand;

const auto kBindings = std::to_array<TimelineBinding>({{Qt::Key_W, {}, C::ZoomIn},
    {Qt::Key_Plus, {}, C::ZoomIn}, {Qt::Key_Equal, {}, C::ZoomIn}, {Qt::Key_S, {}, C::ZoomOut},
    {Qt::Key_Minus, {}, C::ZoomOut}, {Qt::Key_A, {}, C::PanLeft}, {Qt::Key_D, {}, C::PanRight},
    {Qt::Key_Left, {}, C::StepLeft}, {Qt::Key_Right, {}, C::StepRight},
    {Qt::Key_Left, Qt::ControlModifier, C::FineLeft},
    {Qt::Key_Right, Qt::ControlModifier, C::FineRight}, {Qt::Key_Home, {}, C::ViewBegin},
    {Qt::Key_End, {}, C::ViewEnd}, {Qt::Key_Home, Qt::ControlModifier, C::WholeBegin},
    {Qt::Key_End, Qt::ControlModifier, C::WholeEnd}, {Qt::Key_Comma, {}, C::PreviousSpan},
    {Qt::Key_Period, {}, C::NextSpan}, {Qt::Key_Up, {}, C::LaneUp}, {Qt::Key_Down, {}, C::LaneDown},
    {Qt::Key_Up, Qt::AltModifier, C::MoveLaneUp}, {Qt::Key_Down, Qt::AltModifier, C::MoveLaneDown},
    {Qt::Key_Left, Qt::AltModifier, C::LowerLane}, {Qt::Key_Right, Qt::AltModifier, C::HigherLane},
    {Qt::Key_F, {}, C::FitSelection}, {Qt::Key_0, {}, C::ShowAll}, {Qt::Key_M, {}, C::Mark},
    {Qt::Key_BracketLeft, {}, C::PreviousMark}, {Qt::Key_BracketRight, {}, C::NextMark},
    {Qt::Key_P, {}, C::PreviousStretch}, {Qt::Key_N, {}, C::NextStretch},
    {Qt::Key_G, {}, C::NextStrip}, {Qt::Key_F3, {}, C::NextMatch},
    {Qt::Key_F3, Qt::ShiftModifier, C::PreviousMatch}, {Qt::Key_L, {}, C::NextCrossing},
    {Qt::Key_L, Qt::ShiftModifier, C::PreviousCrossing}, {Qt::Key_Delete, {}, C::RemoveMark},
    {Qt::Key_Slash, {}, C::Search}, {Qt::Key_F, Qt::ControlModifier, C::Search},
    {Qt::Key_E, {}, C::Lanes}, {Qt::Key_E, Qt::ShiftModifier, C::DeriveLane},
    {Qt::Key_Escape, {}, C::Clear}, {Qt::Key_Z, Qt::ControlModifier, C::Undo},
    {Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier, C::Redo},
    {Qt::Key_Y, Qt::ControlModifier, C::Redo}});

} // namespace

std::span<const TimelineBinding> timelineBindings() {
    return kBindings;
}

std::optional<TimelineCommand> timelineCommand(int key, Qt::KeyboardModifiers modifiers) {
    const auto held
        = modifiers & ~Qt::KeyboardModifiers(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    std::optional<TimelineCommand> withoutShift;
    for (const auto& binding : kBindings) {
        if (binding.key != key)
            continue;
        if (binding.modifiers == held)
            return binding.command;
        if (held == (binding.modifiers | Qt::ShiftModifier))
            withoutShift = binding.command;
    }
    return withoutShift;
}

} // namespace trainscope::app
