// Every command and option of --help stands in the man page and in the three completions, and has
// an example.

#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QRegularExpression>
#include <QtTest>

#include <map>

using trainscope::test::runCli;

namespace {

const QStringList kCommands{QStringLiteral("import"), QStringLiteral("info"),
    QStringLiteral("summary"), QStringLiteral("kernels"), QStringLiteral("align"),
    QStringLiteral("correlate"), QStringLiteral("cluster"), QStringLiteral("collectives"),
    QStringLiteral("figure"), QStringLiteral("report"), QStringLiteral("export"),
    QStringLiteral("query"), QStringLiteral("remove"), QStringLiteral("vacuum"),
    QStringLiteral("check"), QStringLiteral("layout"), QStringLiteral("topology"),
    QStringLiteral("placement"), QStringLiteral("findings"), QStringLiteral("compare"),
    QStringLiteral("power"), QStringLiteral("profile")};

QString completionOf(const char* shell) {
    return QString::fromStdString(runCli({"document", shell}).out);
}

// The man page as it reads: without font changes and escaped hyphens.
QString manText() {
    static const QRegularExpression fonts(QStringLiteral("\\\\f[BIRP]"));
    const std::string source = qgetenv("TRAINSCOPE_SOURCE").toStdString();
    const auto page = runCli({"document", "man", source + "/packaging/man/trainscope-cli.1.in"});
    return QString::fromStdString(page.out).remove(fonts).remove(QLatin1Char('\\'));
}

QString helpOf(const QString& command) {
    return QString::fromStdString(runCli({command.toStdString(), "--help"}).out);
}

QStringList optionsOf(const QString& help) {
    QStringList options;
    // Options stand at the beginning of a line; examples mention them further in.
    static const QRegularExpression option(
        QStringLiteral("^  (?:-\\w,)?(--[a-z-]+)"), QRegularExpression::MultilineOption);
    for (auto matches = option.globalMatch(help); matches.hasNext();)
        options << matches.next().captured(1);
    return options;
}

} // namespace

class tst_Documentation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void helpListsTheCommands() {
        const auto help = QString::fromStdString(runCli({"--help"}).out);
        for (const auto& command : kCommands)
            QVERIFY2(help.contains(QLatin1String("  ") + command + QLatin1Char(' ')),
                qPrintable(command));
        QVERIFY(help.contains(QStringLiteral("Examples:")));
    }

    void everyOptionIsDocumented_data() {
        QTest::addColumn<QString>("command");
        for (const auto& command : kCommands)
            QTest::newRow(qPrintable(command)) << command;
    }

    void everyOptionIsDocumented() {
        QFETCH(QString, command);
        const QString help = helpOf(command);
        QVERIFY(help.contains(QStringLiteral("Examples:\n  trainscope-cli ") + command));
        const QStringList options = optionsOf(help);
        QVERIFY(options.contains(QStringLiteral("--help")));
        const QString man = manText();
        const QString bash = completionOf("bash");
        const QString zsh = completionOf("zsh");
        const QString fish = completionOf("fish");
        QVERIFY(man.contains(QStringLiteral(".SH ") + command.toUpper()));
        for (const QString& text : {man, bash, zsh, fish})
            QVERIFY2(text.contains(command), qPrintable(command));
        for (const auto& option : options) {
            QVERIFY2(man.contains(option), qPrintable(option));
            QVERIFY2(bash.contains(option), qPrintable(option));
            QVERIFY2(zsh.contains(option + QLatin1Char('[')), qPrintable(option));
            QVERIFY2(fish.contains(QStringLiteral(" -l ") + option.mid(2)), qPrintable(option));
        }
    }

    // Values that are not all there are, but usual.
    void valuesAreSuggested() {
        const QStringList bash = completionOf("bash").split(QLatin1Char('\n'));
        const QString fish = completionOf("fish");
        const std::map<QString, QString> values{
            {QStringLiteral("layout:--order)"), QStringLiteral("'tp-cp-ep-dp-pp tp-cp-ep-pp-dp'")},
            {QStringLiteral("layout:--zero)"), QStringLiteral("'1 2 3'")},
            {QStringLiteral("figure:--width-mm)"), QStringLiteral("'84.6 177.8'")}};
        for (const auto& [option, words] : values) {
            const QStringList lines = bash.filter(option);
            QCOMPARE(lines.size(), 1);
            QVERIFY2(lines.front().contains(words), qPrintable(lines.front()));
            QVERIFY(fish.contains(QLatin1String(" -a ") + words));
        }
    }

    void everyDocumentedOptionExists() {
        QStringList known{QStringLiteral("--version")};
        for (const auto& command : kCommands)
            known += optionsOf(helpOf(command));
        const QString man = manText();
        static const QRegularExpression option(QStringLiteral("--[a-z][a-z-]*"));
        for (auto matches = option.globalMatch(man); matches.hasNext();) {
            const QString found = matches.next().captured();
            QVERIFY2(known.contains(found), qPrintable(found));
        }
    }
};

TRAINSCOPE_TEST(tst_Documentation)
#include "tst_Documentation.moc"
