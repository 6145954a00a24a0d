#pragma once
// The standard library, Qt's core, Qt Test and the house's own names, which every test has at hand.
// One program holds the Qt Test classes of a room; its first argument names the class to run.

#include "support/Rows.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainscope::test {

enum class Application { Core, Gui }; // Qt's application that stands while the tests run

struct Registration {
    using Make = std::unique_ptr<QObject> (*)();
    Registration(const char* name, Application application, Make make);
};

} // namespace trainscope::test

using namespace trainscope;

#define TRAINSCOPE_REGISTER_TEST(Class, Kind)                                                      \
    static const trainscope::test::Registration k_##Class(#Class,                                  \
        trainscope::test::Application::Kind,                                                       \
        []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
#define TRAINSCOPE_TEST(Class) TRAINSCOPE_REGISTER_TEST(Class, Core)
#define TRAINSCOPE_GUI_TEST(Class) TRAINSCOPE_REGISTER_TEST(Class, Gui)
