// Every command and option of --help stands in the man page and in the three completions, and has
// an example.

#include "app/manual/Manual.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using trainscope::test::runCli;

namespace {

// Those that --help lists.
QStringList commandNames() {
    static const QRegularExpression list(QStringLiteral("\nSubcommands:\n((?:  .*\n)+)"));
    static const QRegularExpression name(
        QStringLiteral("^  ([a-z]+) "), QRegularExpression::MultilineOption);
    const auto help = QString::fromStdString(runCli({"--help"}).out);
    QStringList names;
    for (auto matches = name.globalMatch(list.match(help).captured(1)); matches.hasNext();)
        names << matches.next().captured(1);
    return names;
}

QString completionOf(const char* shell) {
    const std::string file
        = shell == std::string("zsh") ? "_trainscope-cli" : std::string("trainscope-cli.") + shell;
    return QString::fromStdString(runCli(
        {"document", shell,
            qgetenv("TRAINSCOPE_SOURCE").toStdString() + "/packaging/completions/" + file + ".in"})
                                      .out);
}

QString templateFile() {
    return qEnvironmentVariable("TRAINSCOPE_SOURCE")
        + QStringLiteral("/packaging/man/trainscope-cli.1.in");
}

// The man page as it reads: without font changes and escaped hyphens.
QString manText() {
    static const QRegularExpression fonts(QStringLiteral("\\\\f[BIRP]"));
    const auto page = runCli({"document", "man", templateFile().toStdString()});
    return QString::fromStdString(page.out).remove(fonts).remove(QLatin1Char('\\'));
}

// From the line that begins so to the end that follows.
QString partOf(const QString& text, const QString& begin, const char* end) {
    const auto at = text.indexOf(QLatin1Char('\n') + begin) + 1;
    return at == 0 ? QString() : text.mid(at, text.indexOf(QLatin1String(end), at) - at);
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
        QVERIFY(commandNames().size() > 20);
        QVERIFY(commandNames().contains(QStringLiteral("record")));
        QVERIFY(help.contains(QStringLiteral("Examples:")));
    }

    void everyOptionIsDocumented_data() {
        const auto row = test::columns<QString>("command");
        for (const auto& command : commandNames())
            row(qPrintable(command), command);
    }

    void everyOptionIsDocumented() {
        QFETCH(QString, command);
        const QString help = helpOf(command);
        QVERIFY(help.contains(QStringLiteral("Examples:\n  trainscope-cli ") + command));
        const QStringList options = optionsOf(help);
        QVERIFY(options.contains(QStringLiteral("--help")));
        const QString man
            = partOf(manText(), QStringLiteral(".SH %1\n").arg(command.toUpper()), "\n.SH ");
        QVERIFY(!man.isEmpty());
        const QString bash
            = partOf(completionOf("bash"), QStringLiteral("    %1) options=").arg(command), "\n");
        const QString zsh = partOf(
            completionOf("zsh"), QStringLiteral("    %1) _arguments").arg(command), ";;\n");
        const QString fish = completionOf("fish");
        for (const auto& option : options) {
            const QRegularExpression ofMan(QStringLiteral("\n\\.BI? %1[ \n]").arg(option));
            if (option != QStringLiteral("--help") && option != QStringLiteral("--json"))
                QVERIFY2(man.contains(ofMan), qPrintable(option));
            const QRegularExpression word(QStringLiteral("[ \"]%1[ \"]").arg(option));
            QVERIFY2(bash.contains(word), qPrintable(option));
            QVERIFY2(zsh.contains(option + QLatin1Char('['))
                    || zsh.contains(option + QLatin1String("=[")),
                qPrintable(option));
            QVERIFY2(fish.contains(QStringLiteral("_is %1' -l %2 ").arg(command, option.mid(2))),
                qPrintable(option));
        }
    }

    // The man page has the help's name of a value in full, without its choices.
    void valuesAreNamed() {
        const QString man = manText();
        QVERIFY(man.contains(QStringLiteral("\n.BI --header \" NAME:VALUE\"\n")));
        QVERIFY(man.contains(QStringLiteral("\n.BI --threads \" N\"\n")));
        QVERIFY(man.contains(QStringLiteral("\n.BI --normalise \" BY\"\n")));
        QVERIFY(completionOf("zsh").contains(QStringLiteral("]:NAME\\:VALUE:")));
    }

    // Numbers are defined once, in the manual: help and man page say what it says.
    void numbersAreDefinedByTheManual() {
        const auto said
            = QStringLiteral("bounded by the fact that no part ends before the last has started");
        QVERIFY(QString::fromStdString(app::manual::definitionAt("numbers#clock-offset", 10'000))
                    .contains(said));
        QVERIFY(helpOf(QStringLiteral("align")).simplified().contains(said));
        QVERIFY(partOf(manText(), QStringLiteral(".SH ALIGN\n"), "\n.SH ").contains(said));
        for (const QString& command : commandNames())
            QVERIFY2(!helpOf(command).contains(QStringLiteral("\n\n\n\n")), qPrintable(command));
    }

    // The words of --help are the man page's: filled, but for what stands further in.
    void helpStandsInManPage() {
        const QString man = manText();
        const QString check = partOf(man, QStringLiteral(".SH CHECK\n"), "\n.SH ");
        VERIFY_SAYS(check, "Changes nothing. Ends with status 3 if something is damaged.\n");
        VERIFY_SAYS(check, "Examples:\n.nf\n  trainscope-cli check sample.trainscope\n");
        QVERIFY(check.endsWith(QStringLiteral("\n.fi")));
    }

    // Words that shells offer: some are all that there are, some only usual.
    void valuesAreSuggested_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* option, const char* words) {
            QTest::newRow(option) << QString::fromLatin1(option) << QString::fromLatin1(words);
        };
        row("layout:--order", "tp-cp-ep-dp-pp tp-cp-ep-pp-dp");
        row("layout:--zero", "1 2 3");
        row("figure:--width-mm", "84.6 177.8");
        row("figure:--optimization", "base cc act cc+act");
        row("figure:--per", "auto run capture stage rank gpu node token");
        row("figure:--objective", "time energy peak-power");
        row("figure:--categories", "default charllm");
        row("predict:--objective", "time energy peak-power");
        row("predict:--recompute", "none selective per-operator full");
        row("predict:--workload", "training lora inference");
        row("figure:--context-exchange", "ring all-to-all gather");
        row("operators:--by", "operator module annotation shape pass");
        row("compare:--normalise", "absolute per-gpu per-node per-token");
        row("report:--paper", "a4 letter");
        row("export:--format", "csv chrome-json openmetrics");
        row("predict:--layout", "");
        row("figure:--frame", "");
        row("import:--period", "");
    }

    void valuesAreSuggested() {
        QFETCH(QString, option);
        QFETCH(QString, words);
        const QStringList bash
            = completionOf("bash").split(QLatin1Char('\n')).filter(option + QLatin1Char(')'));
        QCOMPARE(bash.size(), 1);
        const QString fish = QStringLiteral("_is %1' -l %2 ")
                                 .arg(option.section(QLatin1String(":--"), 0, 0),
                                     option.section(QLatin1String(":--"), 1));
        const QStringList lines = completionOf("fish").split(QLatin1Char('\n')).filter(fish);
        QCOMPARE(lines.size(), 1);
        if (words.isEmpty()) {
            VERIFY_SAYS(bash.front(), ") :; return");
            QVERIFY2(!lines.front().contains(QStringLiteral(" -a ")), qPrintable(lines.front()));
            return;
        }
        const QString quoted = QLatin1Char('\'') + words + QLatin1Char('\'');
        VERIFY_SAYS(bash.front(), QStringLiteral(" -W ") + quoted);
        VERIFY_SAYS(lines.front(), QStringLiteral(" -a ") + quoted);
    }

    // Examples name options of other programs, too.
    void everyDocumentedOptionExists() {
        QStringList known{QStringLiteral("--version")};
        QString texts
            = QString::fromUtf8(test::contentOf(templateFile())).remove(QLatin1Char('\\'));
        for (const auto& command : commandNames()) {
            const QString help = helpOf(command);
            known += optionsOf(help);
            const auto lines = help.split(QLatin1Char('\n'));
            for (const auto& line : lines)
                texts += line.startsWith(QLatin1Char(' ')) ? QString() : line + QLatin1Char('\n');
        }
        static const QRegularExpression option(QStringLiteral("--[a-z][a-z-]*"));
        for (auto matches = option.globalMatch(texts); matches.hasNext();) {
            const QString found = matches.next().captured();
            QVERIFY2(known.contains(found), qPrintable(found));
        }
    }
};

TRAINSCOPE_TEST(tst_Documentation)
#include "tst_Documentation.moc"
