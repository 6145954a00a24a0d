#include "support/TestProgram.h"

#include <QCoreApplication>
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
    arguments.push_back(nullptr);
    int count = argc - 1;
    const auto application = makeApplication(found->second.application, count, arguments.data());
    application->setAttribute(Qt::AA_Use96Dpi, true);
    const auto test = found->second.make();
    return QTest::qExec(test.get(), count, arguments.data());
}

} // namespace trainscope::test

int main(int argc, char** argv) {
    return trainscope::test::runTest(argc, argv);
}
