#pragma once
// Rows of data-driven tests, and texts in any of the types that they come in.
//
//     const auto row = columns<QString, double>("unit", "value");
//     row("watts", "W", 412.3);

#include <QTest>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

namespace trainscope::test {

template <typename Text>
std::string bytesOf(const Text& text) {
    if constexpr (std::convertible_to<Text, std::string_view>)
        return std::string(std::string_view(text));
    else if constexpr (std::same_as<Text, QByteArray>)
        return text.toStdString();
    else
        return QString(text).toStdString();
}

// A list of texts: texts("--run", name).
template <typename... Texts>
QStringList texts(const Texts&... all) {
    return {QString::fromStdString(bytesOf(all))...};
}

template <typename Column, typename Value>
Column asColumn(const Value& value) {
    if constexpr (std::same_as<Column, QString> && !std::same_as<Value, QString>)
        return QString::fromStdString(bytesOf(value));
    else
        return static_cast<Column>(value);
}

template <typename... Columns>
struct Rows {
    template <typename... Values>
    void operator()(const std::string& name, const Values&... values) const {
        static_assert(sizeof...(Values) == sizeof...(Columns), "a value for each column");
        QTestData& row = QTest::newRow(name.c_str());
        ((row << asColumn<Columns>(values)), ...);
    }
};

// Declares the columns of a test's data; the answer adds rows.
template <typename... Columns, typename... Names>
Rows<Columns...> columns(const Names&... names) {
    static_assert(sizeof...(Names) == sizeof...(Columns), "a name for each column");
    (QTest::addColumn<Columns>(names), ...);
    return {};
}

} // namespace trainscope::test

// Fails where the text lacks the part, and shows the text.
#define VERIFY_SAYS(Text, Part)                                                                    \
    do {                                                                                           \
        const std::string textThatSays = trainscope::test::bytesOf(Text);                          \
        QVERIFY2(textThatSays.find(trainscope::test::bytesOf(Part)) != std::string::npos,          \
            textThatSays.c_str());                                                                 \
    } while (false)
