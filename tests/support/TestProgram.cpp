#include "support/TestProgram.h"

#include "support/Skips.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryFile>
#include <QtTest>

#ifdef QT_WIDGETS_LIB
#include <QApplication>
#endif

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace trainscope::test {

namespace {

struct Entry {
    Application application;
    Registration::Make make;
};

std::map<std::string, Entry>& entries() {
    static std::map<std::string, Entry> all;
    return all;
}

std::unique_ptr<QCoreApplication> makeApplication(Application kind, int& argc, char** argv) {
#ifdef QT_WIDGETS_LIB
    if (kind == Application::Gui)
        return std::make_unique<QApplication>(argc, argv);
#endif
    static_cast<void>(kind);
    return std::make_unique<QCoreApplication>(argc, argv);
}

int listTests(const char* program) {
    std::fprintf(stderr, "usage: %s TEST [OPTIONS of Qt Test]\n", program);
    for (const auto& [name, entry] : entries())
        std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
}

// Says which skips are on no list; their number.
int reportSkips(QFile& log) {
    QFile list(QString::fromStdString(folderFrom("TRAINSCOPE_SOURCE") + "/tests/skips.txt"));
    if (!list.open(QIODevice::ReadOnly)) // by hand, outside of CTest
        return 0;
    const auto unlisted = unlistedSkips(log.readAll().toStdString(), list.readAll().toStdString());
    for (const std::string& line : unlisted)
        std::printf("FAIL!  : tests/skips.txt does not list this: %s\n", line.c_str());
    return static_cast<int>(unlisted.size());
}

} // namespace

Registration::Registration(const char* name, Application application, Make make) {
    entries().emplace(name, Entry{application, make});
}

int runTest(int argc, char** argv) {
    const auto found = argc > 1 ? entries().find(argv[1]) : entries().end();
    if (found == entries().end())
        return listTests(argv[0]);
    std::vector<char*> arguments{argv, argv + argc};
    arguments.erase(arguments.begin() + 1); // the name of the test
    QTemporaryFile log;
    std::string target = log.open() ? log.fileName().toStdString() + ",txt" : std::string();
    std::string option = "-o";
    std::string screen = "-,txt";
    for (std::string* text : {&option, &screen, &option, &target})
        arguments.push_back(text->data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    const auto application = makeApplication(found->second.application, count, arguments.data());
    application->setAttribute(Qt::AA_Use96Dpi, true);
    const auto test = found->second.make();
    const int failed = QTest::qExec(test.get(), count, arguments.data());
    return failed + reportSkips(log);
}

} // namespace trainscope::test

int main(int argc, char** argv) {
    return trainscope::test::runTest(argc, argv);
}
