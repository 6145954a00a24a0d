#include "app/drawing/QtApplication.h"

#include <QApplication>

namespace trainscope::cli {

namespace {

QtMessageHandler nextHandler = nullptr; // NOLINT(*-avoid-non-const-global-variables)

// A machine without a desktop session has no runtime directory; figures need none.
void withoutSessionNoise(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (!text.startsWith(QLatin1String("QStandardPaths:")) && nextHandler != nullptr)
        nextHandler(type, context, text);
}

} // namespace

void needCoreApplication() {
    if (QCoreApplication::instance() != nullptr)
        return;
    static int argc = 1;
    static char name[] = "trainscope-cli";
    static char* argv[] = {name, nullptr};
    // To the very end of the program: its threads store things in it.
    static const auto* const application = new QCoreApplication(argc, argv);
    Q_UNUSED(application)
}

void needApplication() {
    if (QCoreApplication::instance() != nullptr)
        return;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    nextHandler = qInstallMessageHandler(withoutSessionNoise);
    static int argc = 1;
    static char name[] = "trainscope-cli";
    static char* argv[] = {name, nullptr};
    static const auto* const application = new QApplication(argc, argv);
    Q_UNUSED(application)
}

} // namespace trainscope::cli
