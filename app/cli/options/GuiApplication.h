#pragma once
// What drawing needs of Qt in a program without a window.

namespace trainscope::cli {

// Fonts need a QGuiApplication, Qt Charts a QApplication; the offscreen platform needs no display.
// One per process, kept to its end.
void needApplication();
// What the network needs; where both are needed, needApplication() comes first.
void needCoreApplication();

} // namespace trainscope::cli
