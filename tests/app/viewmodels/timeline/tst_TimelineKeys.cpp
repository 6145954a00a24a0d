// The keys of the timeline and their rows in the sheet of keys: none without the other.
#include "app/viewmodels/support/KeyStrokes.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "support/TestProgram.h"

#include <QTest>

#include <algorithm>
#include <string_view>
#include <utility>

using namespace trainscope;
using app::TimelineController;

namespace {

bool isOfTimeline(const app::KeyEntry& entry) {
    const std::string_view group = entry.group;
    return group == "Timeline" || group == "Lanes";
}

// Esc is the window's as well; + without Shift is =.
bool isTold(const TimelineController::Binding& binding) {
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
                QVERIFY2(TimelineController::bindingOf(stroke.key(), stroke.keyboardModifiers()),
                    entry.id);
                ++bound;
            }
        }
        QVERIFY(bound > 25);
    }
    void everyBindingHasARow() {
        for (const TimelineController::Binding& binding : TimelineController::bindings()) {
            const QKeySequence keys(
                QKeyCombination(binding.modifiers, static_cast<Qt::Key>(binding.key)));
            QVERIFY2(isTold(binding), qPrintable(keys.toString()));
        }
    }
    void noKeysMeanTwoThings() {
        const auto all = TimelineController::bindings();
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
        using Keys = std::pair<int, Qt::KeyboardModifiers>;
        const auto meant = [](int key, Qt::KeyboardModifiers held) {
            const auto* binding = TimelineController::bindingOf(key, held);
            return binding == nullptr ? Keys() : Keys(binding->key, binding->modifiers);
        };
        const auto ctrlShift = Qt::ControlModifier | Qt::ShiftModifier;
        QVERIFY(meant(Qt::Key_Plus, Qt::ShiftModifier) == Keys(Qt::Key_Plus, {}));
        QVERIFY(meant(Qt::Key_Right, ctrlShift) == Keys(Qt::Key_Right, Qt::ControlModifier));
        QVERIFY(meant(Qt::Key_Z, ctrlShift) == Keys(Qt::Key_Z, ctrlShift));
        QVERIFY(meant(Qt::Key_Right, Qt::MetaModifier) == Keys());
    }
};

TRAINSCOPE_TEST(tst_TimelineKeys)
#include "tst_TimelineKeys.moc"
