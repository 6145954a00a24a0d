// Spectra of planted sines.

#include "core/analysis/iterations/PowerPeriod.h"
#include "core/figures/runs/RunFigures.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/plot/figures/Figure.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

#include <variant>

using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

class tst_SpectrumFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        // Two GPUs that swing together: ±50 W at 0.05 Hz and ±20 W at 0.15 Hz each, 20 minutes.
        SweepRun run;
        run.name = "planted";
        run.launch.globalBatch = 8;
        run.gpus = 2;
        for (int rank = 0; rank < 2; ++rank) {
            std::vector<double> power;
            for (int i = 0; i < 1200; ++i) {
                const double turn = 2.0 * std::numbers::pi * i;
                power.push_back(
                    500.0 + 50.0 * std::sin(0.05 * turn) + 20.0 * std::sin(0.15 * turn));
            }
            run.series.push_back({"gpu_power", rank, power});
        }
        m_database.add(run);
        FigureQuery query;
        query.kind = FigureKind::Spectrum;
        query.wholeRun = true;
        m_data = loadFigure(m_database.store(), query).value();
    }

    void theLinesAreThoseOfTheSum() {
        QCOMPARE(m_data.spectra.size(), std::size_t{1});
        const FigureSpectrum& spectrum = m_data.spectra.front();
        QVERIFY(spectrum.lines.size() >= 2);
        QVERIFY(std::abs(spectrum.lines[0].frequencyHz - 0.05) < 5e-4);
        QVERIFY(std::abs(spectrum.lines[0].amplitudeW - 100.0) < 2.0);
        QVERIFY(std::abs(spectrum.lines[1].frequencyHz - 0.15) < 5e-4);
        QVERIFY(std::abs(spectrum.lines[1].amplitudeW - 40.0) < 2.0);
    }

    // ±50 W at 0.1 Hz for 100 s; the other GPU has 5 s, in which no line would be seen.
    void aGpuThatBrokeOffIsLeftOutAndNamed() {
        SweepRun run;
        run.name = "broken";
        run.gpus = 2;
        std::vector<double> power;
        for (int i = 0; i < 100; ++i)
            power.push_back(500.0 + 50.0 * std::sin(0.1 * 2.0 * std::numbers::pi * i));
        run.series = {{"gpu_power", 0, power}, {"gpu_power", 1, {500, 510, 500, 490, 500}}};
        SweepDatabase database;
        database.add(run);
        FigureQuery query;
        query.kind = FigureKind::Spectrum;
        query.wholeRun = true;
        const FigureData data = loadFigure(database.store(), query).value();
        QCOMPARE(data.spectra.size(), std::size_t{1});
        QVERIFY(!data.spectra[0].lines.empty());
        QVERIFY(std::abs(data.spectra[0].lines[0].frequencyHz - 0.1) < 1e-3);
        QVERIFY(std::abs(data.spectra[0].lines[0].amplitudeW - 50.0) < 1.0);
        QCOMPARE(data.notes.size(), std::size_t{1});
        VERIFY_SAYS(data.notes[0], "1 of 2 GPUs (rank 1)");
    }

    // 0.0504 Hz lies between two bins of 1/1,200 s, of which the higher shows 8 % less.
    void theCurveReachesTheMarks() {
        SweepRun run;
        run.name = "between";
        std::vector<double> power;
        for (int i = 0; i < 1200; ++i)
            power.push_back(500.0 + 50.0 * std::sin(0.0504 * 2.0 * std::numbers::pi * i));
        run.series = {{"gpu_power", 0, power}};
        SweepDatabase database;
        database.add(run);
        FigureQuery query;
        query.kind = FigureKind::Spectrum;
        query.wholeRun = true;
        const FigureData data = loadFigure(database.store(), query).value();
        const auto& line = data.spectra[0].lines[0];
        QVERIFY(std::abs(line.amplitudeW - 50.0) < 0.5);
        const auto& bins = data.spectra[0].amplitudeW;
        QVERIFY(*std::max_element(bins.begin(), bins.end()) < 0.95 * line.amplitudeW);
        // Findings tell the same amplitude of the same part.
        const analysis::RunStudies studies(database.store());
        const Run planted = database.store().findRun("between").value();
        const auto spectrum = analysis::powerSpectrumOf(studies.of(planted), true, 6).value();
        QCOMPARE(spectrum->lines[0].amplitude, line.amplitudeW);
        const auto style = styleWith(fixedPitch, lightTheme(), 800.0);
        const auto picture = buildFigure(data, style);
        double top = 0.0;
        for (const auto& item : picture.scene.items) {
            const auto* chart = std::get_if<Chart>(&item);
            for (const auto& curve : chart == nullptr ? std::vector<ChartCurve>() : chart->curves) {
                for (const auto& point : curve.points)
                    top = std::max(top, point.y);
            }
        }
        QCOMPARE(top, line.amplitudeW);
    }

    void harmonicsOfTheIteration() {
        const FigureSpectrum& spectrum = m_data.spectra.front();
        QVERIFY(spectrum.iterationHz.has_value());
        QVERIFY(std::abs(*spectrum.iterationHz - 0.05) < 1e-3);
        QCOMPARE(spectrum.lines[0].harmonic, 1);
        QCOMPARE(spectrum.lines[1].harmonic, 3);
    }

    void theCurveKeepsEveryPeak() {
        const FigureSpectrum& spectrum = m_data.spectra.front();
        const auto greatest
            = std::max_element(spectrum.amplitudeW.begin(), spectrum.amplitudeW.end());
        QVERIFY(*greatest > 90.0);
        QVERIFY(std::is_sorted(spectrum.frequencyHz.begin(), spectrum.frequencyHz.end()));
        QVERIFY(spectrum.frequencyHz.back() <= 0.5 + 1e-9); // half the sampling rate
    }

    void thePointerFindsTheLine() {
        const auto style = styleWith(fixedPitch, lightTheme(), 800.0);
        const auto geometry = buildFigure(m_data, style);
        QVERIFY(!geometry.targets.empty());
        const Rect& rect = geometry.targets.front().rect;
        const auto hit = geometry.hitAt({rect.x + rect.width / 2, rect.y + rect.height / 2});
        QVERIFY(hit.has_value());
        QCOMPARE(hit->facts[0].second, std::string("0.05 Hz"));
        QVERIFY(hit->run == m_database.idOf("planted"));
    }

    // Two lines beside each other, where the label of the first would lie over the second's point:
    // it stands above.
    void labelsKeepOffThePoints() {
        FigureData data;
        data.runs.emplace_back();
        FigureSpectrum spectrum;
        spectrum.frequencyHz = {0.5, 1.0, 1.1, 5.0};
        spectrum.amplitudeW = {1.0, 100.0, 95.0, 1.0};
        spectrum.lines = {{1.0, 100.0, 0}, {1.1, 95.0, 0}};
        data.spectra.push_back(spectrum);
        data.frequency = axisOf("frequency", {}, "Hz", {0.0, 5.0}, true);
        data.amplitude = axisOf("amplitude", {}, "W", {0.0, 200.0}, true);
        const auto style = styleWith(fixedPitch, lightTheme(), 400.0);
        const auto geometry = buildFigure(data, style);
        std::vector<Rect> dots;
        std::vector<Rect> labels;
        for (const auto& item : geometry.scene.items) {
            if (const auto* dot = std::get_if<FillRect>(&item))
                dots.push_back(dot->rect);
            const auto* label = std::get_if<Label>(&item);
            const double size = style.theme->size(TextRole::Small);
            if (label != nullptr && label->text.ends_with(" W"))
                labels.push_back({label->anchor.x, label->anchor.y - size,
                    fixedPitch(label->text, TextRole::Small, false), size});
        }
        QCOMPARE(dots.size(), std::size_t{2});
        QCOMPARE(labels.size(), std::size_t{2});
        const auto touches = [](const Rect& a, const Rect& b) {
            return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
        };
        for (const Rect& label : labels) {
            for (const Rect& dot : dots)
                QVERIFY(!touches(label, dot));
        }
        QVERIFY(!touches(labels[0], labels[1]));
    }

    // Columns between samples: held inside the recording, nothing in holes and outside it.
    void holds() {
        // Ten columns of 10 ns; samples in columns 1 and 4, a hole over 6 and 7, the last sample
        // in 8.
        std::vector<Bucket> buckets(10);
        buckets[1] = sample(5.0F, 7.0F);
        buckets[4] = sample(9.0F, 9.0F);
        buckets[6].gap = true;
        buckets[7].gap = true;
        buckets[8] = sample(2.0F, 2.0F);
        Series series;
        series.range = {{1012}, {1086}};
        holdBetweenSamples(buckets, series, {{1000}, {1100}}, std::nan(""));
        QVERIFY(std::isnan(buckets[0].mean)); // before the first sample
        QCOMPARE(buckets[2].mean, 7.0F); // the last of column 1
        QCOMPARE(buckets[3].min, 7.0F);
        QCOMPARE(buckets[5].max, 9.0F);
        QVERIFY(std::isnan(buckets[6].mean));
        QVERIFY(std::isnan(buckets[7].mean));
        QCOMPARE(buckets[8].mean, 2.0F);
        QVERIFY(std::isnan(buckets[9].mean)); // after the last sample
    }

    void aHoleEndsWhatWasHeld() {
        std::vector<Bucket> buckets(4);
        buckets[0] = sample(1.0F, 1.0F);
        buckets[1].gap = true;
        Series series;
        series.range = {{0}, {1000}};
        holdBetweenSamples(buckets, series, {{0}, {40}}, std::nan(""));
        QVERIFY(std::isnan(buckets[2].mean));
    }

    void whatHeldWhenTheWindowBegan() {
        std::vector<Bucket> buckets(2);
        Series series;
        series.range = {{0}, {1000}};
        holdBetweenSamples(buckets, series, {{100}, {200}}, 42.0);
        QCOMPARE(buckets[0].mean, 42.0F);
        QCOMPARE(buckets[1].last, 42.0F);
        QCOMPARE(buckets[1].count, 0U);
    }

private:
    SweepDatabase m_database;
    FigureData m_data;
};

TRAINSCOPE_TEST(tst_SpectrumFigure)
#include "tst_SpectrumFigure.moc"
