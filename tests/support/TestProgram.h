#pragma once
// One program holds the Qt Test classes of a room; its first argument names the class to run.

#include <QObject>

#include <memory>

namespace trainscope::test {

enum class Application { Core, Gui }; // Qt's application that stands while the tests run

struct Registration {
    using Make = std::unique_ptr<QObject> (*)();
    Registration(const char* name, Application application, Make make);
};

} // namespace trainscope::test

#define TRAINSCOPE_REGISTER_TEST(Class, Kind)                                                      \
    static const trainscope::test::Registration k_##Class(#Class,                                  \
        trainscope::test::Application::Kind,                                                       \
        []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
#define TRAINSCOPE_TEST(Class) TRAINSCOPE_REGISTER_TEST(Class, Core)
#define TRAINSCOPE_GUI_TEST(Class) TRAINSCOPE_REGISTER_TEST(Class, Gui)
