#include "app/drawing/FullProgram.h"

#include <QApplication>

namespace trainscope::cli {

namespace {

QtMessageHandler nextHandler = nullptr; // NOLINT(*-avoid-non-const-global-variables)

// A machine without a desktop session has no runtime directory; figures need none.
void withoutSessionNoise(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (!text.startsWith(QLatin1String("QStandardPaths:")) && nextHandler != nullptr)
        nextHandler(type, context, text);
}

// To the very end of the program: its threads store things in it.
template <typename Application>
void keepApplication() {
    static int argc = 1;
    static char name[] = "trainscope-cli";
    static char* argv[] = {name, nullptr};
    static const auto* const application = new Application(argc, argv);
    Q_UNUSED(application)
}

} // namespace

void needCoreApplication() {
    if (QCoreApplication::instance() == nullptr)
        keepApplication<QCoreApplication>();
}

void needApplication() {
    if (QCoreApplication::instance() != nullptr)
        return;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    nextHandler = qInstallMessageHandler(withoutSessionNoise);
    keepApplication<QApplication>();
}

} // namespace trainscope::cli
