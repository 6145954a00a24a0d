// The export dialog's view model over a real database: choices, files, errors, cancel.

#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "app/viewmodels/workspace/FigureExporter.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "support/Content.h"
#include "support/TestProgram.h"

namespace {

// Its title is worded when it is read, as captions are, its number when it is drawn.
class WordedFigure : public app::Exportable {
public:
    [[nodiscard]] app::ExportJob exportJob() const override {
        figures::Figure figure;
        figure.title = "clock of " + text::quantity(1.755e9, "Hz");
        figure.draw = [read = figure.title](const plot::FigureStyle&) {
            plot::Picture picture;
            picture.scene.width = 200.0;
            picture.scene.height = 50.0;
            for (const std::string& shown : {read, text::percent(0.125), std::string("a,b")})
                picture.scene.items.emplace_back(plot::Label{{10.0, 20.0}, shown, {}});
            return picture;
        };
        figure.csv = [read = figure.title] { return "what\n" + text::csvCell(read) + "\n"; };
        return app::exportJobOf(QStringLiteral("worded"), figure);
    }
};

} // namespace

class tst_FigureExporter : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    std::unique_ptr<app::Workspace> m_workspace;
    std::unique_ptr<app::TimelineController> m_timeline;
    std::unique_ptr<app::FigureExporter> m_exporter;

    [[nodiscard]] QString at(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name));
    }
    // True when a file was written.
    bool exportAndWait(const QString& path) {
        QSignalSpy spy(m_exporter.get(), &app::FigureExporter::finished);
        m_exporter->exportTo(path);
        return spy.wait(20'000) && spy.first().first().toBool();
    }
    static bool isClose(double a, double b) { return std::abs(a - b) < 0.01; }

private Q_SLOTS:
    void initTestCase() {
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, at("settings"));
        qputenv("XDG_STATE_HOME", at("state").toLocal8Bit());
        m_path = test::writeTimelineDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
    }
    void init() {
        QSettings().setValue(QStringLiteral("export/folder"), m_folder.path());
        m_workspace = std::make_unique<app::Workspace>();
        QVERIFY(test::opens(*m_workspace, m_path));
        m_workspace->setShown({m_workspace->runs().front().id});
        m_timeline = std::make_unique<app::TimelineController>();
        m_timeline->setWorkspace(m_workspace.get());
        m_timeline->setViewSize(800, 600, 1.0);
        QTRY_VERIFY(!m_timeline->request().runs.empty());
        QTRY_VERIFY(m_timeline->isReady());
        m_exporter = std::make_unique<app::FigureExporter>();
        m_exporter->setSource(m_timeline.get());
        m_exporter->prepare();
        QTRY_VERIFY(!m_exporter->path().isEmpty());
    }
    void cleanup() {
        m_exporter.reset();
        m_timeline.reset();
        m_workspace.reset();
    }

    void suggestsANameInTheLastFolder() {
        QCOMPARE(m_exporter->path(),
            at(("timeline-" + m_workspace->runs().front().name + ".pdf").c_str()));
        QVERIFY(!m_exporter->overwrites());
    }

    void formatAndSuffixAgree() {
        m_exporter->setFormat(2);
        QVERIFY(m_exporter->path().endsWith(QStringLiteral(".png")));
        QVERIFY(m_exporter->isRaster());
        m_exporter->setPath(at("x.csv"));
        QCOMPARE(m_exporter->format(), 3);
        QVERIFY(!m_exporter->isDrawn());
    }

    void presetsSetSizes() {
        m_exporter->setPreset(0);
        QVERIFY(isClose(m_exporter->widthMm(), 84.58)); // 3.33 in
        QVERIFY(isClose(m_exporter->heightMm(), 50.8)); // 2.0 in
        m_exporter->setPreset(1);
        QVERIFY(isClose(m_exporter->widthMm(), 85.73)); // 3.375 in
        m_exporter->setPreset(4);
        QVERIFY(isClose(m_exporter->widthMm(), 177.8)); // 7 in
        QCOMPARE(m_exporter->heightMm(), 0.0);
        m_exporter->setWidthMm(100.0);
        QCOMPARE(m_exporter->preset(), 6); // other size
    }

    void pagesArePaper() {
        m_exporter->setPreset(7);
        QVERIFY(m_exporter->inPages());
        QCOMPARE(m_exporter->widthMm(), 210.0);
        QCOMPARE(m_exporter->heightMm(), 297.0);
        QTRY_COMPARE(m_exporter->previewText(), QStringLiteral("210 × 297 mm, one page"));
        QVERIFY(!m_exporter->preview().isNull());
        QVERIFY(exportAndWait(at("pages.pdf")));
        QVERIFY(test::contentOf(at("pages.pdf")).contains("/MediaBox [ 0 "));
        m_exporter->setPath(at("pages.svg"));
        QVERIFY(!m_exporter->inPages());
        m_exporter->setPath(at("pages.pdf"));
        m_exporter->setPreset(0);
        QVERIFY(!m_exporter->inPages());
    }

    // 84.582 × 50.8 mm.
    void thePreviewIsOfTheFile() {
        m_exporter->setPreset(0);
        QTRY_COMPARE(m_exporter->previewText(), QStringLiteral("85 × 51 mm"));
        const QImage& image = m_exporter->preview();
        QVERIFY(
            std::abs(image.width() / static_cast<double>(image.height()) - 84.582 / 50.8) < 0.01);
        m_exporter->setFormat(3);
        QTRY_VERIFY(m_exporter->previewText().isEmpty());
    }

    void asOnScreenTakesSizeAndThemeOfTheView() {
        m_exporter->setProperty("viewWidth", 720.0);
        m_exporter->setProperty("viewDark", true);
        m_exporter->setPreset(5);
        QVERIFY(isClose(m_exporter->widthMm(), 254.0)); // 720 pt = 10 in
        QCOMPARE(m_exporter->theme(), 2);
        m_exporter->setProperty("viewDark", false);
        m_exporter->setPreset(5);
        QCOMPARE(m_exporter->theme(), 1);
    }

    void writes_data() {
        const auto row = test::columns<QString, QByteArray>("name", "magic");
        row("pdf", "x.pdf", "%PDF-");
        row("svg", "x.svg", "<?xml");
        row("png", "x.png", "\x89PNG");
        row("csv", "x.csv", "lane,");
    }
    void writes() {
        QFETCH(QString, name);
        QFETCH(QByteArray, magic);
        QSignalSpy states(m_exporter.get(), &app::FigureExporter::stateChanged);
        const QString path = m_folder.filePath(name);
        QVERIFY2(exportAndWait(path), qPrintable(m_exporter->lastError()));
        QCOMPARE(states.size(), 2); // running, done
        QVERIFY(!m_exporter->isRunning());
        QCOMPARE(m_exporter->lastPath(), path);
        QVERIFY(m_exporter->lastError().isEmpty());
        QVERIFY(m_exporter->overwrites());
        const QByteArray content = test::contentOf(path);
        QVERIFY2(content.startsWith(magic), content.left(40).constData());
    }

    void suffixAndFolderAreAdded() {
        m_exporter->setFormat(1);
        QVERIFY(exportAndWait(QStringLiteral("bare")));
        QCOMPARE(m_exporter->lastPath(), at("bare.svg"));
        QVERIFY(QFile::exists(at("bare.svg")));
    }

    void windowOfTheViewIsDrawn() {
        QVERIFY(exportAndWait(at("all.csv")));
        m_timeline->navigation()->setBrush(0.25, 0.5);
        QVERIFY(exportAndWait(at("part.csv")));
        QVERIFY(test::contentOf(at("part.csv")) != test::contentOf(at("all.csv")));
        QVERIFY(test::contentOf(at("all.csv")).size() > 1000);
    }

    void lowFiguresAreWarnedOf() {
        m_exporter->setWidthMm(80.0);
        m_exporter->setHeightMm(12.0);
        QVERIFY(exportAndWait(at("low.pdf")));
        QCOMPARE(m_exporter->warnings().size(), 1);
        QVERIFY(m_exporter->warnings().first().contains(QStringLiteral("too low")));
    }

    void errorsAreTold() {
        QVERIFY(!exportAndWait(at("none/x.pdf")));
        QVERIFY(m_exporter->lastError().contains(QStringLiteral("does not exist")));
        QVERIFY(m_exporter->lastPath().isEmpty());
        QVERIFY(!exportAndWait(m_folder.path()));
        QVERIFY(!m_exporter->lastError().isEmpty());
        // The next success takes the error away.
        QVERIFY(exportAndWait(at("good.svg")));
        QVERIFY(m_exporter->lastError().isEmpty());
    }

    void filesHavePointsWhateverTheReader() {
        text::setReadersMarks(",", ".");
        const text::WordingFor screen(text::Medium::Screen);
        WordedFigure figure;
        m_exporter->setSource(&figure);
        QSignalSpy spy(m_exporter.get(), &app::FigureExporter::finished);
        for (const char* name : {"worded.svg", "worded.csv"}) {
            m_exporter->exportTo(at(name));
            QTRY_VERIFY(!m_exporter->isRunning());
        }
        QCOMPARE(spy.size(), 2);
        m_exporter->setSource(m_timeline.get());
        text::setReadersMarks(".", ",");
        const QByteArray svg = test::contentOf(at("worded.svg"));
        QVERIFY(svg.contains(">clock of 1.755 GHz<"));
        QVERIFY(svg.contains(">12.5 %<"));
        QVERIFY(svg.contains(">a,b<"));
        QVERIFY(svg.contains("<title>clock of 1.755 GHz</title>"));
        QCOMPARE(test::contentOf(at("worded.csv")), QByteArray("what\nclock of 1.755 GHz\n"));
    }

    void asksBeforeItReplaces() {
        QFile file(at("there.svg"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("what was there");
        file.close();
        const QSignalSpy asked(m_exporter.get(), &app::FigureExporter::asked);
        m_exporter->setPath(at("there"));
        m_exporter->setFormat(1);
        QTRY_VERIFY(m_exporter->overwrites());
        m_exporter->setPath(at("none.svg"));
        m_exporter->setPath(at("there.svg"));
        m_exporter->exportOrAsk();
        QTRY_COMPARE(asked.count(), 1);
        QVERIFY(!m_exporter->isRunning());
        QCOMPARE(test::contentOf(at("there.svg")), QByteArray("what was there"));
        QVERIFY(exportAndWait(at("there.svg")));
        // A file that it wrote itself may be replaced.
        QSignalSpy again(m_exporter.get(), &app::FigureExporter::finished);
        m_exporter->exportOrAsk();
        QVERIFY(again.wait(20'000));
        QCOMPARE(asked.count(), 1);
    }

    void cancelKeepsWhatWasThere() {
        const QString path = at("kept.pdf");
        QVERIFY(test::writeContent(path, "what was there"));
        QSignalSpy spy(m_exporter.get(), &app::FigureExporter::finished);
        m_exporter->exportTo(path);
        QVERIFY(m_exporter->isRunning());
        m_exporter->cancel();
        QVERIFY(spy.wait(20'000));
        // Either it was stopped, and says so, or it was done before; never half.
        const bool written = spy.first().first().toBool();
        QCOMPARE(test::contentOf(path).startsWith("%PDF-"), written);
        QCOMPARE(m_exporter->lastError().isEmpty(), written);
    }

    void oneAtATime() {
        QSignalSpy spy(m_exporter.get(), &app::FigureExporter::finished);
        m_exporter->exportTo(at("first.pdf"));
        m_exporter->exportTo(at("second.pdf"));
        QVERIFY(spy.wait(20'000));
        QVERIFY(QFile::exists(at("first.pdf")));
        QVERIFY(!QFile::exists(at("second.pdf")));
    }
};

TRAINSCOPE_GUI_TEST(tst_FigureExporter)
#include "tst_FigureExporter.moc"
