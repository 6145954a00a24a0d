// Strangers' texts are shown well-formed, without control characters and without directions, and
// unchanged where there is nothing to mend.

#include "core/model/HarmlessText.h"
#include "support/TestProgram.h"

#include <QObject>
#include <QtTest>

#include <random>

using namespace trainscope;

class tst_HarmlessText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void texts_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("shown");
        const auto row = [](const char* name, const std::string& text, const std::string& shown) {
            QTest::newRow(name) << text << shown;
        };
        row("plain", "void kernel<float>(int)\n\tnext", "void kernel<float>(int)\n\tnext");
        row("letters of all kinds", "Müller µs ядро 核 😀 עברית", "Müller µs ядро 核 😀 עברית");
        row("escape sequence", "a\x1b[31mred", "a\u241B[31mred");
        row("bell, delete, carriage return", "\x07\x7f\r", "\u2407\u2421\u240D");
        row("zero", std::string("a\0b", 3), "a\u2400b");
        row("control of one byte in Latin-1", "\xc2\x9b", "\uFFFD"); // U+009B: another CSI
        row("override", "a\u202Ecsv.exe", "a\uFFFDcsv.exe");
        row("isolate", "\u2066x\u2069", "\uFFFDx\uFFFD");
        row("separators", "a\u2028b\u2029", "a\uFFFDb\uFFFD");
        row("no character of XML", "\xef\xbf\xbe\xef\xbf\xbf", "\uFFFD\uFFFD");
        row("stray byte", "a\xff", "a\uFFFD");
        row("cut sequence", "\xe2\x82", "\uFFFD\uFFFD");
        row("too long a form of a slash", "\xc0\xaf", "\uFFFD\uFFFD");
        row("surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD");
        row("markup stays what it is", "<img src=x>&amp;", "<img src=x>&amp;");
    }
    void texts() {
        QFETCH(std::string, text);
        QFETCH(std::string, shown);
        QCOMPARE(harmless(text), shown);
    }

    void oneLine() { QCOMPARE(harmlessLine("a\n\tb\r"), std::string("a  b\u240D")); }

    // Qt's own decoder finds nothing to replace, and doing it again changes nothing.
    void anyBytes() {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::string bytes;
            for (auto i = random() % 24; i > 0; --i)
                bytes += static_cast<char>(round % 2 == 0 ? random() : 0xE0 + random() % 32);
            const std::string shown = harmless(bytes);
            QCOMPARE(harmless(shown), shown);
            const QString read = QString::fromStdString(shown);
            QCOMPARE(read.toStdString(), shown);
            for (const QChar c : read)
                QVERIFY(c == u'\n' || c == u'\t' || c.category() != QChar::Other_Control);
        }
    }
};

TRAINSCOPE_TEST(tst_HarmlessText)
#include "tst_HarmlessText.moc"
