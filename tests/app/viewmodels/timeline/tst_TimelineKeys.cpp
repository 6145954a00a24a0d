// The keys of the timeline and their rows in the sheet of keys: none without the other.
#include "app/viewmodels/support/KeyStrokes.h"
#include "app/viewmodels/timeline/TimelineKeys.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>
#include <string_view>

using namespace trainscope;
using app::TimelineCommand;

namespace {

bool isOfTimeline(const app::KeyEntry& entry) {
    const std::string_view group = entry.group;
    return group == "Timeline" || group == "Lanes";
}

// Esc is the window's as well; + without Shift is =.
bool isTold(const app::TimelineBinding& binding) {
    if (binding.key == Qt::Key_Escape || binding.key == Qt::Key_Equal)
        return true;
    const QKeyCombination wanted(binding.modifiers, static_cast<Qt::Key>(binding.key));
    for (const app::KeyEntry& entry : app::keyEntries()) {
        const auto strokes = test::strokesOf(entry);
        if (isOfTimeline(entry)
            && std::find(strokes.begin(), strokes.end(), wanted) != strokes.end())
            return true;
    }
    return false;
}

} // namespace

class tst_TimelineKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowIsBound() {
        int bound = 0;
        for (const app::KeyEntry& entry : app::keyEntries()) {
            if (!isOfTimeline(entry))
                continue;
            for (const QKeyCombination stroke : test::strokesOf(entry)) {
                QVERIFY2(app::timelineCommand(stroke.key(), stroke.keyboardModifiers()), entry.id);
                ++bound;
            }
        }
        QVERIFY(bound > 25);
    }
    void everyBindingHasARow() {
        for (const app::TimelineBinding& binding : app::timelineBindings()) {
            const QKeySequence keys(
                QKeyCombination(binding.modifiers, static_cast<Qt::Key>(binding.key)));
            QVERIFY2(isTold(binding), qPrintable(keys.toString()));
        }
    }
    void noKeysMeanTwoThings() {
        const auto all = app::timelineBindings();
        for (const auto& binding : all) {
            QCOMPARE(std::count_if(all.begin(), all.end(),
                         [&binding](const auto& other) {
                             return other.key == binding.key
                                 && other.modifiers == binding.modifiers;
                         }),
                1);
        }
    }
    void shiftIsTheKeysOwnWhereItIsBound() {
        using C = TimelineCommand;
        const auto ctrlShift = Qt::ControlModifier | Qt::ShiftModifier;
        QVERIFY(app::timelineCommand(Qt::Key_Plus, Qt::ShiftModifier) == C::ZoomIn);
        QVERIFY(app::timelineCommand(Qt::Key_Right, ctrlShift) == C::FineRight);
        QVERIFY(app::timelineCommand(Qt::Key_Z, ctrlShift) == C::Redo);
        QVERIFY(!app::timelineCommand(Qt::Key_Right, Qt::MetaModifier));
    }
};

TRAINSCOPE_TEST(tst_TimelineKeys)
#include "tst_TimelineKeys.moc"
