#pragma once
// Qt's application object for drawing in a program without a window.

namespace trainscope::cli {

// Fonts need a QGuiApplication, Qt Charts a QApplication; the offscreen platform needs no display.
// One per process, kept to its end.
void needApplication();
// The same for the network; where both are needed, needApplication() comes first.
void needCoreApplication();

} // namespace trainscope::cli
