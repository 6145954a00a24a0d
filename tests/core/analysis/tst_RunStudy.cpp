// A study finds each thing once, and asks again for what could not be found.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/PlantedRun.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

int timesLooked = 0;

Result<std::string> nameIn(const RunStudy& study) {
    ++timesLooked;
    return study.run.name;
}

Result<int> doubled(const RunStudy& study) {
    ++timesLooked;
    const auto name = study.once(nameIn);
    return name.hasValue() ? 2 * static_cast<int>(name.value().size()) : Result<int>(name.error());
}

// Fails at the first call.
Result<int> atLast(const RunStudy&) {
    if (++timesLooked == 1)
        return Error{ErrorCode::Cancelled, "Stopped.", {}};
    return 7;
}

} // namespace

class tst_RunStudy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { timesLooked = 0; }

    void eachThingIsFoundOnce() {
        const test::PlantedRun planted;
        const store::Store store = planted.stored();
        const auto study = test::studyOf(store);
        QCOMPARE(study.once(doubled).value(), 14);
        QCOMPARE(study.once(doubled).value(), 14);
        QCOMPARE(study.once(nameIn).value(), std::string("planted"));
        QCOMPARE(timesLooked, 2);
    }

    void anErrorIsNotKept() {
        const test::PlantedRun planted;
        const store::Store store = planted.stored();
        const auto study = test::studyOf(store);
        QVERIFY(study.once(atLast).error().code == ErrorCode::Cancelled);
        QCOMPARE(study.once(atLast).value(), 7);
        QCOMPARE(study.once(atLast).value(), 7);
        QCOMPARE(timesLooked, 2);
    }

    void aRunIsStudiedOnce() {
        const test::PlantedRun planted;
        const store::Store store = planted.stored();
        const Run run = store.findRun("planted").value();
        const RunStudies studies(store);
        QCOMPARE(studies.of(run).once(nameIn).value(), std::string("planted"));
        QCOMPARE(studies.of(run).once(nameIn).value(), std::string("planted"));
        QCOMPARE(&studies.of(run), &studies.of(run));
        QCOMPARE(timesLooked, 1);
    }
};

TRAINSCOPE_TEST(tst_RunStudy)
#include "tst_RunStudy.moc"
