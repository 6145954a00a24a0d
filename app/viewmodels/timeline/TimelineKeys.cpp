// The keys of the timeline and what they do.
#include "app/viewmodels/timeline/TimelineController.h"

namespace trainscope::app {
namespace {

using Timeline = TimelineController;
using Step = SpanTarget::Step;

constexpr double kPanStep = 0.15; // share of the window
constexpr double kFineCursorStep = 0.002;
constexpr double kLaneStep = 16.0; // px, of a lane's height

} // namespace

std::span<const Timeline::Binding> Timeline::bindings() {
    constexpr auto ctrl = Qt::ControlModifier;
    constexpr auto alt = Qt::AltModifier;
    constexpr auto shift = Qt::ShiftModifier;
    constexpr auto zoomIn = [](Timeline& at, bool) { at.m_navigation.zoomIn(); };
    constexpr auto zoomOut = [](Timeline& at, bool) { at.m_navigation.zoomOut(); };
    constexpr auto search = [](Timeline& at, bool) { Q_EMIT at.searchRequested(); };
    constexpr auto redo = [](Timeline& at, bool) { at.m_navigation.redo(); };
    static const auto all = std::to_array<Binding>({
        {Qt::Key_W, {}, zoomIn},
        {Qt::Key_Plus, {}, zoomIn},
        {Qt::Key_Equal, {}, zoomIn},
        {Qt::Key_S, {}, zoomOut},
        {Qt::Key_Minus, {}, zoomOut},
        {Qt::Key_A, {}, [](Timeline& at, bool) { at.m_navigation.panByWindows(-kPanStep); }},
        {Qt::Key_D, {}, [](Timeline& at, bool) { at.m_navigation.panByWindows(kPanStep); }},
        // To the previous span when one is selected, else the cursor.
        {Qt::Key_Left, {}, [](Timeline& at, bool selects) { at.step(Step::Previous, selects); }},
        {Qt::Key_Right, {}, [](Timeline& at, bool selects) { at.step(Step::Next, selects); }},
        {Qt::Key_Left, ctrl,
            [](Timeline& at, bool selects) { at.nudge(-kFineCursorStep, selects); }},
        {Qt::Key_Right, ctrl,
            [](Timeline& at, bool selects) { at.nudge(kFineCursorStep, selects); }},
        {Qt::Key_Home, {},
            [](Timeline& at, bool selects) {
                at.moveCursor(at.m_context.window.window().begin, selects);
            }},
        {Qt::Key_End, {},
            [](Timeline& at, bool selects) {
                at.moveCursor(at.m_context.window.window().end, selects);
            }},
        {Qt::Key_Home, ctrl,
            [](Timeline& at, bool selects) {
                at.moveCursor(at.m_context.window.limits().begin, selects);
            }},
        {Qt::Key_End, ctrl,
            [](Timeline& at, bool selects) {
                at.moveCursor(at.m_context.window.limits().end, selects);
            }},
        {Qt::Key_Comma, {},
            [](Timeline& at, bool) { at.m_span.step(Step::Previous, at.m_lanes.current()); }},
        {Qt::Key_Period, {},
            [](Timeline& at, bool) { at.m_span.step(Step::Next, at.m_lanes.current()); }},
        {Qt::Key_Up, {},
            [](Timeline& at, bool) {
                at.m_lanes.setCurrent(std::max(0, at.m_lanes.current() - 1));
            }},
        {Qt::Key_Down, {},
            [](Timeline& at, bool) { at.m_lanes.setCurrent(at.m_lanes.current() + 1); }},
        {Qt::Key_Up, alt, [](Timeline& at, bool) { at.m_lanes.moveCurrent(-1); }},
        {Qt::Key_Down, alt, [](Timeline& at, bool) { at.m_lanes.moveCurrent(1); }},
        {Qt::Key_Left, alt,
            [](Timeline& at, bool) { at.m_lanes.resizeBy(at.m_lanes.current(), -kLaneStep); }},
        {Qt::Key_Right, alt,
            [](Timeline& at, bool) { at.m_lanes.resizeBy(at.m_lanes.current(), kLaneStep); }},
        {Qt::Key_F, {}, [](Timeline& at, bool) { at.fitSelection(); }},
        {Qt::Key_0, {}, [](Timeline& at, bool) { at.m_navigation.showAll(); }},
        {Qt::Key_M, {}, [](Timeline& at, bool) { at.m_marks.mark(); }},
        {Qt::Key_BracketLeft, {}, [](Timeline& at, bool) { at.m_marks.step(-1); }},
        {Qt::Key_BracketRight, {}, [](Timeline& at, bool) { at.m_marks.step(1); }},
        {Qt::Key_Delete, {}, [](Timeline& at, bool) { at.m_marks.removeAtCursor(); }},
        {Qt::Key_P, {}, [](Timeline& at, bool extends) { at.stepStretch(-1, extends); }},
        {Qt::Key_N, {}, [](Timeline& at, bool extends) { at.stepStretch(1, extends); }},
        {Qt::Key_G, {}, [](Timeline& at, bool) { at.stepStrip(); }},
        {Qt::Key_C, {}, [](Timeline& at, bool) { at.m_overlays.togglePaths(); }},
        {Qt::Key_I, {}, [](Timeline& at, bool) { at.m_inspector.whatIf()->toggle(); }},
        {Qt::Key_F3, {}, [](Timeline& at, bool) { at.m_search.next(); }},
        {Qt::Key_F3, shift, [](Timeline& at, bool) { at.m_search.previous(); }},
        {Qt::Key_L, {}, [](Timeline& at, bool) { at.goToCrossing(1); }},
        {Qt::Key_L, shift, [](Timeline& at, bool) { at.goToCrossing(-1); }},
        {Qt::Key_Slash, {}, search},
        {Qt::Key_F, ctrl, search},
        {Qt::Key_E, {}, [](Timeline& at, bool) { Q_EMIT at.lanesRequested(); }},
        {Qt::Key_E, shift, [](Timeline& at, bool) { Q_EMIT at.deriveRequested(); }},
        {Qt::Key_Escape, {}, [](Timeline& at, bool) { at.clearAll(); }},
        {Qt::Key_Z, ctrl, [](Timeline& at, bool) { at.m_navigation.undo(); }},
        {Qt::Key_Z, ctrl | shift, redo},
        {Qt::Key_Y, ctrl, redo},
    });
    return all;
}

const Timeline::Binding* Timeline::bindingOf(int key, Qt::KeyboardModifiers modifiers) {
    const auto held
        = modifiers & ~Qt::KeyboardModifiers(Qt::KeypadModifier | Qt::GroupSwitchModifier);
    const Binding* withoutShift = nullptr;
    for (const Binding& binding : bindings()) {
        if (binding.key != key)
            continue;
        if (binding.modifiers == held)
            return &binding;
        if (held == (binding.modifiers | Qt::ShiftModifier))
            withoutShift = &binding;
    }
    return withoutShift;
}

} // namespace trainscope::app
