// Calibration by runs of a database: what was planted in them is found again, and a job that was
// not among them is predicted as the planted machine would run it.

#include "core/predict/calibration/RateFit.h"
#include "core/predict/prediction/MeasuredRuns.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/PlantedRuns.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

class tst_MeasuredRuns : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    std::optional<RunCalibration> m_found;

private Q_SLOTS:
    void initTestCase() {
        auto store = store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("planted.trainscope")).toStdString());
        QVERIFY(store.hasValue());
        m_store.emplace(std::move(store).value());
        QVERIFY(test::writePlantedRuns(*m_store));
        auto found = calibrationOf(*m_store);
        QVERIFY2(found.hasValue(), found.hasValue() ? "" : found.error().message.c_str());
        m_found.emplace(std::move(found).value());
    }

    void everyRunIsARow() {
        QCOMPARE(m_found->runs.size(), std::size_t{8});
        QCOMPARE(m_found->jobs(), std::size_t{8});
        for (const MeasuredRun& run : m_found->runs) {
            QVERIFY2(run.job.has_value(), run.refused.c_str());
            QCOMPARE(run.gpus.size(), std::size_t{8});
        }
    }

    void theSpeedIsFound() {
        const double factor = m_found->steps->factors().at("gpu/H100 SXM5/gemm_16");
        // The sizes at which products lose speed, and other constants, take a part of it.
        QVERIFY2(std::abs(factor / test::kPlantedSpeed - 1.0) < 0.05,
            qPrintable(QString::number(factor)));
        const auto told = toldFactors(m_found->steps->fit());
        QVERIFY(told.size() < 12);
        QVERIFY(std::any_of(told.begin(), told.end(),
            [](const FittedFactor& one) { return one.name == "gpu/H100 SXM5/gemm_16"; }));
        for (const FittedFactor& one : told)
            QVERIFY2(!meaningOf(factorNameOf(one.name).key).empty(), one.name.c_str());
    }

    void powerAndHeatAreFound() {
        const PowerBasis& basis = m_found->powers->at("H100 SXM5");
        QVERIFY2(std::abs(basis.gpu.idleW - test::kPlantedIdleW) < 4.0,
            qPrintable(QString::number(basis.gpu.idleW)));
        QVERIFY2(std::abs(basis.gpu.thermal.resistance / test::kPlantedResistance - 1.0) < 0.05,
            qPrintable(QString::number(basis.gpu.thermal.resistance)));
        QVERIFY(basis.air && std::abs(basis.air->inletC - 21.0) < 1.5);
        QVERIFY2(std::abs(basis.demandFactor - 1.0) < 0.06,
            qPrintable(QString::number(basis.demandFactor)));
        VERIFY_SAYS(basis.source, "planted tp=2 1");
    }

    void anotherJobIsAsTheMachineWouldRunIt() {
        const Job job = test::plantedJob("llama2-13b", "tp=4", 1);
        const Prediction truth = test::plantedPrediction(job);
        const Prediction usual = Predictor().predict(job).value();
        const Prediction made = m_found->predictor().predict(job).value();
        QVERIFY(usual.seconds < 0.95 * truth.seconds);
        QVERIFY2(std::abs(made.seconds / truth.seconds - 1.0) < 0.02,
            qPrintable(QString::number(made.seconds / truth.seconds)));
        QVERIFY(made.low < truth.seconds && truth.seconds < made.high);
        PowerBasis planted = powerBasisOf(job.machine.gpu);
        planted.gpu = truth.power.gpu;
        const Outlook outlook = outlookOf(job, truth.step, planted);
        QVERIFY(std::abs(made.outlook.meanW / outlook.meanW - 1.0) < 0.03);
        QVERIFY(std::abs(made.outlook.hottestC - outlook.hottestC) < 2.0);
        QVERIFY(made.intervals.hottestC.high - made.intervals.hottestC.low
            < usual.intervals.hottestC.high - usual.intervals.hottestC.low);
        QCOMPARE(made.power.source, m_found->powers->at("H100 SXM5").source);
    }

    void residualsAreTold() {
        const auto residuals = residualsOf(*m_found);
        QCOMPARE(residuals.size(), std::size_t{8});
        for (const RunResidual& run : residuals) {
            QVERIFY(std::abs(*run.predictedSeconds / *run.seconds - 1.0) < 0.02);
            QVERIFY(std::abs(*run.predictedW / *run.meanW - 1.0) < 0.05);
            QCOMPARE(run.gpus.size(), std::size_t{8});
        }
    }

    // Other GPUs keep the catalogue's constants.
    void otherGpusAreAsBefore() {
        Job job = test::plantedJob("llama3-8b", "tp=2", 1);
        job.machine.gpu = *catalogue::findGpuModel("MI300X");
        const Prediction usual = Predictor().predict(job).value();
        const Prediction made = m_found->predictor().predict(job).value();
        QVERIFY(made.power.source.empty());
        QCOMPARE(made.power.gpu.idleW, usual.power.gpu.idleW);
        QVERIFY(std::abs(made.seconds / usual.seconds - 1.0) < 0.05);
        QVERIFY((made.high / made.low) > 0.9 * (usual.high / usual.low));
    }

    void whatWasNotMeasuredIsRefused() {
        QTemporaryDir folder;
        auto store = store::Store::openOrCreate(
            folder.filePath(QStringLiteral("p.trainscope")).toStdString());
        const Job job = test::plantedJob("llama3-8b", "tp=8", 1);
        const Prediction made = Predictor().predict(job).value();
        QVERIFY(writePrediction(store.value(), "mine", job, made).hasValue());
        const auto run = store.value().findRun("mine");
        const auto measured = measuredRun({store.value(), run.value()});
        QVERIFY(!measured.hasValue() && measured.error().code == ErrorCode::Usage);
        const auto none = calibrationOf(store.value());
        QVERIFY(none.hasValue() && none.value().runs.empty() && none.value().jobs() == 0);
    }
};

TRAINSCOPE_TEST(tst_MeasuredRuns)
#include "tst_MeasuredRuns.moc"
