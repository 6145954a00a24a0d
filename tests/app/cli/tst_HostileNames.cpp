// Names of strangers in everything that the command line writes: what would steer a terminal, run
// in a page, break an SVG, or be computed by a spreadsheet comes out as text.

#include "core/store/database/PageSums.h"
#include "core/text/Table.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <sqlite3.h>

#include <ostream>

using namespace trainscope::test;

namespace {

constexpr const char* kName = "=HYPERLINK(\"http://x\")<img src=x onerror=alert(1)>&amp;</title>"
                              "<script>alert(2)</script>\x1b]0;owned\x07\x1b[2J\u202Egnp.exe\x9b";
constexpr std::array<const char*, 6> kBeginnings{"=", "+", "-", "@", "\t=", "x;=1+1;"};

// As JSON spells it.
QByteArray quoted(const QByteArray& text) {
    QByteArray out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += "\\u00" + QByteArray(1, c).toHex();
        else if (c != '\x9b')
            out += c;
    }
    return out + '"';
}

QByteArray hostileTrace() {
    const QByteArray name = quoted(kName);
    QByteArray events;
    for (int i = 0; i < 48; ++i) {
        const auto which = static_cast<std::size_t>(i) % kBeginnings.size();
        const QByteArray kernel = quoted(QByteArray(kBeginnings[which]) + kName);
        const QByteArray at = QByteArray::number(1'000'000 + 100 * i);
        events += (i > 0 ? "," : "") + QByteArray(R"({"ph":"X","cat":"kernel","name":)") + kernel
            + R"(,"ts":)" + at + R"(,"dur":50,"pid":0,"tid":7,"args":{"device":0,"stream":7,)"
            + name + ":" + name + R"(}},{"ph":"X","cat":"user_annotation","name":)" + name
            + R"(,"ts":)" + at + R"(,"dur":90,"pid":9,"tid":1,"args":{}})";
    }
    return R"({"schemaVersion":1,"host_name":)" + name + R"(,"distributedInfo":{"rank":0,)"
        + R"("world_size":1},"deviceProperties":[{"id":0,"name":)" + name + R"(}],"traceEvents":[)"
        + events + "]}";
}

bool isFitForATerminal(const std::string& text) {
    const QString read = QString::fromStdString(text);
    return std::all_of(read.begin(), read.end(), [](QChar c) {
        return c == u'\n'
            || (c.category() != QChar::Other_Control && c.unicode() != 0x202E
                && c.unicode() != 0x2028);
    });
}

Ran onATerminal(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    int status = -1;
    {
        cli::Console console(out, err, {true, false});
        status = cli::runCommandLine(cli::fullProgram(), arguments, console);
    }
    return {status, out.str(), err.str()};
}

// The cells of a CSV (RFC 4180).
std::vector<std::string> cellsOf(const QByteArray& csv) {
    std::vector<std::string> cells(1);
    bool isQuoted = false;
    for (qsizetype i = 0; i < csv.size(); ++i) {
        const char c = csv[i];
        if (c == '"' && isQuoted && i + 1 < csv.size() && csv[i + 1] == '"')
            cells.back() += csv[++i];
        else if (c == '"')
            isQuoted = !isQuoted;
        else if (!isQuoted && (c == ',' || c == '\n'))
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

// Also where semicolons separate and quotes inside of a line mean nothing.
bool computesNothing(const QByteArray& csv) {
    auto cells = cellsOf(csv);
    for (const QByteArray& part : csv.split(';'))
        cells.push_back(part.split('\n').front().toStdString());
    return std::all_of(cells.begin(), cells.end(),
        [](const std::string& cell) { return text::spreadsheetText(cell) == cell; });
}

} // namespace

class tst_HostileNames : public QObject {
    Q_OBJECT

    std::string path(const char* name) const {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }

private Q_SLOTS:
    void initTestCase() {
        QFile trace(m_folder.filePath(QStringLiteral("=1+1<b>\x1b[31m rank0.pt.trace.json")));
        QVERIFY(trace.open(QIODevice::WriteOnly));
        trace.write(hostileTrace());
        trace.close();
        m_database = path("db.trainscope");
        const Ran ran = onATerminal(
            {"import", trace.fileName().toStdString(), "--into", m_database, "--name", "plain"});
        QVERIFY2(ran.status <= 1, ran.err.c_str());
        QVERIFY(isFitForATerminal(ran.out) && isFitForATerminal(ran.err));
        sqlite3* handle = nullptr;
        sqlite3_open_v2(m_database.c_str(), &handle, SQLITE_OPEN_READWRITE, store::summingVfs());
        for (const char* sql : {"UPDATE run SET name=?, gpu_model=?1",
                 // Kernels keep the beginnings that they were imported with.
                 "UPDATE name SET text=substr(text, 1, instr(text, 'HYPER') - 2) || ?1 || id",
                 "UPDATE track SET name=?1, process=?1, thread=?1",
                 "INSERT INTO run_tag SELECT id, ?1 FROM run",
                 "INSERT INTO run_note SELECT id, ?1 FROM run", "UPDATE gpu SET model=?1, uuid=?1",
                 "UPDATE source SET path=?1, importer=?1"}) {
            sqlite3_stmt* statement = nullptr;
            QCOMPARE(sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr), SQLITE_OK);
            sqlite3_bind_text(statement, 1, kName, -1, SQLITE_STATIC);
            QCOMPARE(sqlite3_step(statement), SQLITE_DONE);
            sqlite3_finalize(statement);
        }
        sqlite3_close(handle);
    }

    void terminal_data() {
        const auto row = columns<QString>("command");
        for (const char* command : {"info", "summary", "kernels", "operators", "findings", "align",
                 "collectives", "query|SELECT * FROM run", "query|SELECT * FROM run|--csv",
                 "query|SELECT name, detail FROM spans|--json", "info|--json", "check",
                 "kernels|--json", "summary|--run|nobody"})
            row(command, QString::fromUtf8(command));
    }
    void terminal() {
        QFETCH(QString, command);
        std::vector<std::string> arguments;
        for (const QString& word : command.split(u'|'))
            arguments.push_back(word.toStdString());
        arguments.insert(arguments.begin() + 1, m_database);
        const Ran ran = onATerminal(arguments);
        QVERIFY(!ran.out.empty() || !ran.err.empty());
        QVERIFY2(isFitForATerminal(ran.out), ran.out.c_str());
        QVERIFY2(isFitForATerminal(ran.err), ran.err.c_str());
    }

    // To a file tables are harmless as well, and data is as it is.
    void files() {
        const Ran table = runCli({"query", m_database, "SELECT name FROM run"});
        QVERIFY2(isFitForATerminal(table.out), table.out.c_str());
        const Ran data = runCli({"query", m_database, "SELECT name FROM run", "--json"});
        QCOMPARE(data.json()["rows"][0][0].get<std::string>(),
            QString::fromUtf8(kName, -1).toStdString());
    }

    void page() {
        QVERIFY(succeeds({"report", m_database, "--out", path("r.html")}));
        const QByteArray page = contentOf(m_folder.filePath(QStringLiteral("r.html")));
        QVERIFY(page.contains("&lt;img src=x"));
        QVERIFY(!page.contains("<img") && !page.contains("<script"));
        QCOMPARE(page.count("</title>"), page.count("<title>"));
        QVERIFY(isFitForATerminal(page.toStdString()));
    }

    void pdf() {
        QVERIFY(runCli({"report", m_database, "--out", path("r.pdf")}).status == 0);
        QProcess reader;
        reader.start(QStringLiteral("pdftotext"),
            texts("-raw", m_folder.filePath(QStringLiteral("r.pdf")), "-"));
        if (!reader.waitForStarted())
            QSKIP("pdftotext is not installed");
        QVERIFY(reader.waitForFinished());
        QCOMPARE(reader.exitCode(), 0);
        // Lines break within names.
        QByteArray read = reader.readAllStandardOutput();
        read.replace('\f', '\n');
        QVERIFY2(isFitForATerminal(read.toStdString()), read.constData());
        read.replace("\n", "").replace(" ", "");
        for (const char* part : {"<imgsrc=x", "&amp;</title>", "<script>alert(2)</script>"})
            QVERIFY2(read.contains(part), part);
        const QByteArray file = contentOf(m_folder.filePath(QStringLiteral("r.pdf")));
        QVERIFY(file.size() > 1000 && !file.contains("/JavaScript") && !file.contains("/Launch"));
    }

    void pictures_data() {
        const auto row = columns<QString>("kind");
        for (const char* kind : {"timeline", "kernels", "stage-breakdown", "operators-flame"})
            row(kind, QString::fromUtf8(kind));
    }
    void pictures() {
        QFETCH(QString, kind);
        const Ran ran = runCli({"figure", m_database, "--kind", kind.toStdString(), "--out",
            path("f.svg"), "--csv", path("f.csv")});
        QVERIFY2(isFitForATerminal(ran.err), ran.err.c_str());
        QVERIFY2(ran.status == 0, ran.err.c_str());
        const QByteArray svg = contentOf(m_folder.filePath(QStringLiteral("f.svg")));
        QXmlStreamReader reader(svg);
        while (!reader.atEnd()) {
            reader.readNext();
            QVERIFY(reader.name() != QLatin1String("script"));
            QVERIFY(reader.name() != QLatin1String("img"));
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(isFitForATerminal(svg.toStdString()));
        const QByteArray csv = contentOf(m_folder.filePath(QStringLiteral("f.csv")));
        QVERIFY2(computesNothing(csv), csv.constData());
        QVERIFY(!csv.isEmpty());
        QFile::remove(m_folder.filePath(QStringLiteral("f.csv")));
    }

    // No cell begins as a formula would.
    void tables() {
        QVERIFY(runCli({"export", m_database, "--out", path("out")}).status == 0);
        QByteArray all;
        QDirIterator files(m_folder.filePath(QStringLiteral("out")), QDir::Files);
        while (files.hasNext())
            all += contentOf(files.next());
        const Ran asked = runCli({"query", m_database, "SELECT id, name FROM run", "--csv"});
        all += QByteArray::fromStdString(asked.out);
        QVERIFY(all.contains("'=HYPERLINK"));
        QVERIFY2(computesNothing(all), all.constData());
        const Ran kernels
            = runCli({"query", m_database, "SELECT DISTINCT name FROM spans", "--csv"});
        const auto csv = QByteArray::fromStdString(kernels.out);
        QVERIFY2(computesNothing(csv), csv.constData());
        for (const char* defused :
            {"'==HYPER", "'+=HYPER", "'-=HYPER", "'@=HYPER", "'\t==HYPER", "x;'=1+1;'=HYPER"})
            QVERIFY2(csv.contains(defused), (defused + kernels.out).c_str());
    }

private:
    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_HostileNames)
#include "tst_HostileNames.moc"
