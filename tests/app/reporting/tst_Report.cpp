// Reports of a small database: what they say, and the files.

#include "app/reporting/ReportFile.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/figures/support/SweepDatabase.h"
#include "core/report/RunTables.h"
#include "core/text/NumberMarks.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

SweepRun plantedRun(const std::string& name, int tensor, int pipeline, double watts) {
    SweepRun run;
    run.name = name;
    run.launch = launchOf("gpt & co", tensor, pipeline, false, true);
    run.launch.globalBatch = 128;
    run.gpus = 4;
    for (int rank = 0; rank < 4; ++rank) {
        run.series.push_back({"gpu_power", rank, std::vector<double>(40, watts)});
        run.series.push_back({"gpu_temperature", rank, std::vector<double>(40, 60.0 + rank)});
        run.kernels.push_back({rank, 1.0, 2.0, "sm90_xmma_gemm_bf16"});
    }
    return run;
}

SweepRun withIdleGpu(SweepRun run) {
    for (auto& series : run.series) {
        if (series.rank == 3 && series.metric == "gpu_power")
            series.values.assign(40, 60.0);
    }
    return run;
}

// A run of one host operator: no metric, no kernel, no iteration.
void addHostOnly(SweepDatabase& database, const std::string& name) {
    auto session = store::beginImport(database.store(), {name, 1, name, name}).value();
    Run run;
    run.name = name;
    const RunId id = session->run(run).value();
    const TrackId track
        = session->track(id, {TrackKind::Thread, 0, -1, "1", "1", "thread 1"}).value();
    Span span;
    span.start = {kBegin};
    span.duration = {10'000};
    span.name = session->intern("aten::mm").value();
    span.kind = SpanKind::CpuOp;
    (void)session->spans(track, {&span, 1});
    (void)session->finish({}, name, 1, {});
}

std::string factOf(const report::Report& report, std::string_view label) {
    for (const auto& [name, value] : report.facts) {
        if (name == label)
            return value;
    }
    return {};
}

const report::Table& tableOf(const report::Report& report, const char* title) {
    const auto found = std::find_if(report.tables.begin(), report.tables.end(),
        [title](const report::Table& table) { return table.title == title; });
    if (found == report.tables.end())
        qFatal("no table %s", title);
    return *found;
}

} // namespace

class tst_Report : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database.add(plantedRun("a_1_01000", 2, 2, 300.0));
        m_database.add(plantedRun("a_2_01000", 4, 1, 500.0));
        auto loaded = report::loadReport(m_database.store(), {});
        QVERIFY2(loaded.hasValue(), loaded.hasValue() ? "" : loaded.error().message.c_str());
        m_report = std::move(loaded).value();
    }

    void twoRunsAreCompared() {
        QCOMPARE(m_report.comparisons.size(), std::size_t{1});
        const report::Comparison& both = m_report.comparisons.front();
        QCOMPARE(both.board.title, std::string("a_1_01000 and a_2_01000"));
        // One cluster, no iterations: four GPUs of 300 W and of 500 W.
        QCOMPARE(QString::fromStdString(both.headline),
            QString::fromUtf8("The step time of a_1 and a_2 is not known; the mean power is "
                              "1.2 kW and 2 kW"));
        QVERIFY(both.pictures.empty());
        const auto rows = both.tables[1].inWords();
        const auto power = std::find_if(rows.begin(), rows.end(),
            [](const std::vector<std::string>& row) { return row[0] == "Mean power"; });
        QVERIFY(power != rows.end());
        QCOMPARE((*power)[1], std::string("1200 W")); // 4 × 300 W
        QCOMPARE((*power)[2], std::string("2000 W"));
        QCOMPARE((*power)[3], std::string("1.67 ×"));
        QCOMPARE((*power)[4], std::string("not known"));
    }

    void tablesHaveARowForEachRun() {
        const auto& runs = tableOf(m_report, "Runs");
        QCOMPARE(runs.rows.size(), std::size_t{2});
        QCOMPARE(runs.inWords()[0][3], std::string("TP2-PP2"));
        const auto& power = tableOf(m_report, "Power, heat and clocks");
        QCOMPARE(power.inWords()[0][1], std::string("300 W"));
        QCOMPARE(power.inWords()[1][4], std::string("63 °C"));
        QCOMPARE(power.inWords()[1][5], std::string("—")); // no clock was recorded
        const auto& time = tableOf(m_report, "Time of the traced GPUs");
        QCOMPARE(time.inWords()[0][3], std::string("100.0 %"));
        for (const auto& table : m_report.tables) {
            for (const auto& row : table.rows)
                QCOMPARE(row.size(), table.columns.size());
        }
    }

    void figuresAreThoseThatHaveSomethingToShow() {
        QVERIFY(!m_report.figures.empty());
        for (const auto& figure : m_report.figures)
            QVERIFY(figure.emptyText.empty());
        // The power is constant over its 39 s: there are sweeps and kernels, but one optimisation.
        const auto has = [this](std::string_view kind) {
            return std::any_of(m_report.figures.begin(), m_report.figures.end(),
                [kind](const auto& figure) { return figure.kind == kind; });
        };
        QVERIFY(has("parallelism-sweep"));
        QVERIFY(has("kernels"));
        QVERIFY(!has("optimization-sweep"));
    }

    // A run with a call tree; those above have kernels alone.
    void operatorsOfARunWithACallTree() {
        PlantedTrace trace;
        trace.run.gpuModel = "H100 SXM";
        const auto plant = [&trace](std::int64_t at, const char* name, std::int64_t lasts) {
            trace.host(0, "1", SpanKind::CpuOp, name, at, 50 * kUs, 0,
                R"({"Input Dims":[[512,512],[512,512]],"Input type":["c10::BFloat16","c10::BFloat16"]})");
            trace.host(
                0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + kUs, 2 * kUs, at / kUs + 1);
            trace.kernel(0, "7", "kernel", at + 10 * kUs, lasts, at / kUs + 1);
        };
        plant(0, "aten::mm", 30 * kUs);
        plant(100 * kUs, "aten::add", 20 * kUs);
        const auto store = trace.store();
        const auto report = report::loadReport(store, {});
        QVERIFY(report.hasValue());
        std::vector<std::string_view> kinds;
        for (const auto& figure : report.value().figures) {
            if (figure.kind.starts_with("operators-"))
                kinds.push_back(figure.kind);
        }
        QCOMPARE(kinds,
            (std::vector<std::string_view>{
                "operators-table", "operators-flame", "operators-roofline"}));
        QVERIFY(std::none_of(m_report.figures.begin(), m_report.figures.end(),
            [](const auto& figure) { return figure.kind.starts_with("operators-"); }));
    }

    void theFirstPageSaysItInShort() {
        QVERIFY(!m_report.summary.empty());
        QCOMPARE(m_report.overview.size(), std::size_t{2});
        QVERIFY(m_report.overview[0].kind == "timeline");
        QVERIFY(m_report.overview[1].kind == "heatmap");
        // Not shown twice.
        for (const auto& figure : m_report.figures)
            QVERIFY(figure.kind != "heatmap");
    }

    void thePageStandsAlone() {
        const auto html = app::reportHtml(m_report);
        QVERIFY(html.hasValue());
        const QByteArray& page = html.value();
        QCOMPARE(page, app::reportHtml(m_report).value());
        QVERIFY(page.contains("gpt &amp; co"));
        QVERIFY(!page.contains("gpt & co"));
        QVERIFY(page.contains("prefers-color-scheme:dark"));
        const auto figures = m_report.overview.size() + m_report.figures.size();
        QCOMPARE(page.count("<svg"), 2 * static_cast<qsizetype>(figures));
        QCOMPARE(page.count("<figure"), page.count("aria-label"));
        QVERIFY(page.contains("scope=\"col\"") && page.contains("<caption"));
        QVERIFY(
            !page.contains("<script") && !page.contains("<link") && !page.contains("src=\"http"));
        QVERIFY(page.contains("@font-face"));
        for (const auto& hash : m_report.hashes)
            QVERIFY(page.contains(QByteArray::fromStdString(hash)));
    }

    void thePaperIsVectorsWithFonts() {
        const auto pdf = app::reportPdf(m_report);
        QVERIFY(pdf.hasValue());
        QVERIFY(pdf.value().startsWith("%PDF-"));
        QCOMPARE(pdf.value(), app::reportPdf(m_report).value());
        QVERIFY(pdf.value().contains("/FontFile"));
        QVERIFY(!pdf.value().contains("/Subtype /Image"));
        QVERIFY(pdf.value().count("/Type /Page >>") >= 2);
    }

    void papers() {
        const auto a4 = app::reportPdf(m_report);
        const auto letter = app::reportPdf(m_report, app::Paper::Letter);
        QVERIFY(a4.hasValue() && letter.hasValue());
        QVERIFY(a4.value().contains("/MediaBox [ 0 0.11 595.276 842 ]"));
        QVERIFY(letter.value().contains("/MediaBox [ 0 0 612 792 ]"));
        QVERIFY(app::papersByUse(QLocale(QStringLiteral("en_US")))[0] == app::Paper::Letter);
        QVERIFY(app::papersByUse(QLocale(QStringLiteral("de_DE")))[0] == app::Paper::A4);
    }

    void manyRunsHaveOneStatementForEachRule() {
        SweepDatabase database;
        for (const char* name : {"b_1", "b_2", "b_3", "b_4", "b_5", "b_6"})
            database.add(withIdleGpu(plantedRun(name, 2, 2, 300.0)));
        const auto report = report::loadReport(database.store(), {});
        QVERIFY(report.hasValue());
        QVERIFY(!report.value().findings.empty());
        std::set<std::string> rules;
        for (const auto& statement : report.value().findings) {
            QVERIFY(rules.insert(statement.finding.rule).second);
            QCOMPARE(statement.run, std::string("b_1"));
            QCOMPARE(statement.also, (std::vector<std::string>{"b_2", "b_3", "b_4", "b_5", "b_6"}));
        }
        QVERIFY(report.value().summary.front().starts_with("b_1 (and 5 other runs): "));
    }

    void runsWithoutAnythingInCommon() {
        SweepDatabase database;
        addHostOnly(database, "a");
        addHostOnly(database, "b");
        const auto report = report::loadReport(database.store(), {});
        QVERIFY2(report.hasValue(), report.hasValue() ? "" : report.error().message.c_str());
        QCOMPARE(report.value().comparisons.size(), std::size_t{1});
        const std::string& headline = report.value().comparisons.front().headline;
        QVERIFY(headline.starts_with("The runs have nothing in common"));
        QVERIFY(headline.ends_with("nor a trace"));
        QVERIFY(report.value().summary.front().ends_with("nor a trace."));
        const auto page = app::reportHtml(report.value());
        QVERIFY(page.hasValue() && !page.value().contains("nor a trace.."));
    }

    // The second source of the run was no file: a copy from an engine has no hash.
    void sourcesAreCountedWithAndWithoutHashes() {
        QCOMPARE(factOf(m_report, "Sources"), std::string("2, with their hashes at the end"));
        SweepDatabase database;
        database.add(plantedRun("a", 2, 2, 300.0));
        Run run;
        run.name = "a";
        auto session
            = store::beginImport(database.store(), {"prom+http://host/?match={}", 0, {}, "a"})
                  .value();
        QVERIFY(session->run(run).hasValue());
        QVERIFY(session->finish({}, {}, 0, {}).hasValue());
        session.reset();
        const auto report = report::loadReport(database.store(), {});
        QVERIFY2(report.hasValue(), report.hasValue() ? "" : report.error().message.c_str());
        QCOMPARE(
            factOf(report.value(), "Sources"), std::string("2, with the hashes of 1 at the end"));
        QCOMPARE(report.value().sources.rows.size(), std::size_t{2});
    }

    // The trace of one rank of eight: figures name eight GPUs, and one was recorded.
    void gpusThatWereNotRecorded() {
        Run run;
        run.name = "a";
        run.gpuCount = 1;
        run.worldSize = 8;
        Run whole = run;
        whole.gpuCount = 8;
        const auto table = report::runTable({run, whole}, {});
        QCOMPARE(table.columns[7].title, std::string("GPUs"));
        QCOMPARE(table.inWords()[0][7], std::string("1 of 8"));
        QCOMPARE(table.inWords()[1][7], std::string("8"));
    }

    // 1,000 GPUs for two minutes: no exponents.
    void muchThrottling() {
        analysis::Throttling throttling;
        throttling.fraction = 0.000'01;
        throttling.clockLost = analysis::ClockLoss{1.98e9, 12'345.6, 0.103, {}};
        throttling.causes[analysis::ThrottleCause::Thermal] = {3, 120'000.0, 12'345.6};
        const auto table = report::throttlingTable({{"a", throttling}});
        QCOMPARE(table.inWords()[0][1], std::string("<0.01 %")); // not nothing
        QCOMPARE(table.inWords()[0][2], std::string("clocks"));
        QCOMPARE(table.inWords()[0][3], std::string("10.30 %, 12346 GPU·s"));
        QCOMPARE(table.inWords()[0][5], std::string("3: 120000 GPU·s, clock lost 12346"));
        QCOMPARE(table.inWords()[0][6], std::string("0"));
    }

    // Not a heading without a word below.
    void throttlingThatNothingTells() {
        const auto table = report::throttlingTable({{"a", {}}, {"b", {}}});
        QCOMPARE(table.notes,
            (std::vector<std::string>{
                "Not known: no GPU recorded reasons of throttling, nor both its SM clock and its "
                "utilisation. (2 runs)"}));
    }

    void filesByTheirSuffix() {
        const QString base = m_folder.filePath(QStringLiteral("report."));
        QVERIFY(app::writeReport(m_report, base + QStringLiteral("html")).hasValue());
        QVERIFY(app::writeReport(m_report, base + QStringLiteral("pdf")).hasValue());
        const auto other = app::writeReport(m_report, base + QStringLiteral("doc"));
        QVERIFY(!other.hasValue() && other.error().code == ErrorCode::Usage);
    }

    void sameFileWhateverTheReader() {
        const QString path = m_folder.filePath(QStringLiteral("reader.html"));
        const auto written = [&] {
            QFile file(path);
            return app::writeReport(m_report, path).hasValue() && file.open(QIODevice::ReadOnly)
                ? file.readAll()
                : QByteArray();
        };
        const QByteArray plain = written();
        QVERIFY(plain.contains("1.67")); // 500 W / 300 W
        text::setReadersMarks(",", ".");
        const text::WordingFor screen(text::Medium::Screen);
        QCOMPARE(written(), plain);
        text::setReadersMarks(".", ",");
    }

    void oneRun() {
        const auto report
            = report::loadReport(m_database.store(), {{m_database.idOf("a_2_01000")}, {}});
        QVERIFY(report.hasValue());
        // "gpt & co" on four GPUs of a model that nobody named, of 40 samples a second apart.
        QCOMPARE(report.value().run, std::string("a_2_01000"));
        QVERIFY2(report.value().title.starts_with("Training of gpt & co on 4 "),
            report.value().title.c_str());
        QCOMPARE(factOf(report.value(), "Run"), std::string("a_2_01000"));
        // Its overview tells it in short.
        QVERIFY(report.value().summary.empty());
        QVERIFY(report.value().overview.front().kind == "overview");
        QCOMPARE(tableOf(report.value(), "Runs").rows.size(), std::size_t{1});
        QVERIFY(!report::loadReport(m_database.store(), {{RunId{77}}, {}}).hasValue());
    }

    void titlesSayWhatIsKnown() {
        Run run;
        run.name = "training";
        run.gpuCount = 1;
        run.gpuModel = "NVIDIA H100 80GB HBM3";
        run.range = {{1'795'732'620'000'000'000}, {1'795'732'772'400'000'000}}; // 152.4 s
        const auto titleOf = [](const std::vector<Run>& runs) {
            return QString::fromStdString(report::titleOf(runs));
        };
        QCOMPARE(titleOf({run}),
            QStringLiteral("Run training on 1 × NVIDIA H100 80GB HBM3, 26 Nov 2026, 2 min 32 s"));
        Run other = run;
        other.name = "big";
        other.launch.model = "gpt3-175b";
        other.gpuCount = 64;
        QCOMPARE(titleOf({other}),
            QStringLiteral(
                "Training of gpt3-175b on 64 × NVIDIA H100 80GB HBM3, 26 Nov 2026, 2 min 32 s"));
        other.kind = RunKind::Predicted;
        other.range = {};
        QCOMPARE(titleOf({other}),
            QStringLiteral("Predicted training of gpt3-175b on 64 × NVIDIA H100 80GB HBM3"));
        QCOMPARE(titleOf({run, other}),
            QStringLiteral(
                "training and big on 1 × NVIDIA H100 80GB HBM3 and 64 × NVIDIA H100 80GB "
                "HBM3, 26 Nov 2026"));
        QCOMPARE(titleOf({other, other, other}),
            QStringLiteral("3 runs of gpt3-175b on 64 × NVIDIA H100 80GB HBM3"));
        QCOMPARE(titleOf({Run()}), QStringLiteral("Run "));
    }

    // One GPU: no bar by stage, no map of one cell, no layout of one square; the tables are lines.
    void oneGpu() {
        SweepDatabase database;
        SweepRun one = plantedRun("alone", 1, 1, 300.0);
        one.gpus = 1;
        std::erase_if(one.series, [](const auto& series) { return series.rank > 0; });
        std::erase_if(one.kernels, [](const auto& kernel) { return kernel.rank > 0; });
        database.add(one);
        const auto report = report::loadReport(database.store(), {});
        QVERIFY2(report.hasValue(), report.hasValue() ? "" : report.error().message.c_str());
        for (const auto& figure : report.value().figures) {
            QVERIFY(figure.kind != "stage-breakdown");
            QVERIFY(figure.kind != "kernels");
            QVERIFY(figure.kind != "heatmap");
        }
        for (const auto& figure : report.value().overview)
            QVERIFY(figure.kind != "layout");
        const auto html = app::reportHtml(report.value());
        QVERIFY(html.hasValue());
        QVERIFY(html.value().contains("power, mean: <b>300 W</b>"));
        QVERIFY(!html.value().contains("power, mean</th>"));
        QVERIFY(html.value().contains("<h2>Not known</h2>"));
        QVERIFY(html.value().contains("Throttling: no GPU recorded"));
        // Nothing to click on paper.
        QVERIFY(!html.value().contains("›"));
    }

    void progressCancels() {
        const auto report = report::loadReport(
            m_database.store(), {}, [](const ProgressState&) { return false; });
        QVERIFY(!report.hasValue());
        QVERIFY(report.error().code == ErrorCode::Cancelled);
    }

private:
    QTemporaryDir m_folder;
    SweepDatabase m_database;
    report::Report m_report;
};

TRAINSCOPE_GUI_TEST(tst_Report)
#include "tst_Report.moc"
