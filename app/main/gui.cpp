// The desktop application: trainscope [FILE|DIR…] [--sample].

#include "app/viewmodels/session/Session.h"
#include "core/model/InteractiveThread.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QLocale>
#include <QQmlApplicationEngine>
#include <QQuickStyle>

#include <malloc.h>

#include <cstdio>

namespace {

// Help and version are told on a machine without a display, too.
bool asksForText(int argc, char* argv[]) {
    return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
        return argument == "--help" || argument == "-h" || argument == "--version"
            || argument == "-v";
    });
}

} // namespace

int main(int argc, char* argv[]) {
    // Every thread's own arena would keep what the thread freed.
    mallopt(M_ARENA_MAX, 3);
    QCoreApplication::setOrganizationName(QStringLiteral("Trainscope"));
    QCoreApplication::setApplicationName(QStringLiteral("trainscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(TRAINSCOPE_VERSION));
    if (asksForText(argc, argv))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // Qt Charts draws through widgets' graphics view, which needs a QApplication.
    const QApplication application(argc, argv);
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Trainscope"));
    // Names of packaging/desktop and packaging/icons; under Wayland a window has its icon by the
    // first.
    const QString id = QStringLiteral("org.trainscope.Trainscope");
    QGuiApplication::setDesktopFileName(id);
    QGuiApplication::setWindowIcon(QIcon::fromTheme(id));
    QQuickStyle::setStyle(QStringLiteral("Basic"));
    const QLocale reader;
    trainscope::text::setReadersMarks(
        reader.decimalPoint().toStdString(), reader.groupSeparator().toStdString());
    trainscope::text::setReadersDates(reader.dateFormat(QLocale::ShortFormat).toStdString());
    const trainscope::text::WordingFor screen(trainscope::text::Medium::Screen);

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Power, heat, time and layout of distributed LLM training runs"));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption sample(
        QStringLiteral("sample"), QStringLiteral("open the built-in sample"));
    parser.addOption(sample);
    const QCommandLineOption view(QStringLiteral("view"),
        QStringLiteral(
            "open there: overview, timeline, machine, kernels, compare, predict or data; or a "
            "view in one of them: findings, spectrum, layout, heatmap, iterations, replay, "
            "sweep, history, runs or query"),
        QStringLiteral("NAME"));
    parser.addOption(view);
    parser.addPositionalArgument(QStringLiteral("FILE|DIR"),
        QStringLiteral("a run database to open, or files and folders to import"),
        QStringLiteral("[FILE|DIR…]"));
    parser.process(application);

    trainscope::app::Session session;
    if (parser.isSet(view)) {
        const auto named = trainscope::app::Views::viewNamed(parser.value(view));
        if (!named) {
            std::fprintf(stderr, "trainscope: there is no view '%s'; --help names them.\n",
                qPrintable(parser.value(view)));
            return 2;
        }
        session.views()->openNextAt(*named);
    }
    // Looked at while the window is made, which shows no start page then.
    if (parser.isSet(sample))
        session.openSample();
    session.openPaths(parser.positionalArguments());
    QQmlApplicationEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    engine.setInitialProperties({{QStringLiteral("session"), QVariant::fromValue(&session)}});
    engine.load(QUrl(QStringLiteral("qrc:/qt/qml/Trainscope/Main.qml")));
    if (engine.rootObjects().isEmpty()) {
        std::fputs("trainscope: the window could not be made; see the messages above. Are the "
                   "qml6-module-qtquick packages installed?\n",
            stderr);
        return EXIT_FAILURE;
    }
    trainscope::markInteractiveThread();
    return QApplication::exec();
}
