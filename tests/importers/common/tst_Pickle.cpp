// Pickles that Python 3.11 wrote, value by value; and such as would run something, are damaged, or
// would take all memory: refused, each with its reason.

#include "importers/common/Pickle.h"
#include "importers/support/PickledJson.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

using Kind = PickleValue::Kind;

// pickle.dumps({'none': None, 'yes': True, 'no': False, 'one': 1, 'b2': 300, 'b4': 70000, 'neg':
// -5, 'long': 1 << 40, 'huge': 1 << 63, 'low': -(1 << 70), 'real': -2.5, 'text': 'Grüße', 'tuple':
// (1, 'a'), 'three': (1, 2, 3), 'four': (1, 2, 3, 4), 'empty': [(), [], {}], 'shared': [s, s]},
// protocol) with s = [1, 2]; from protocol 3 on also 'bytes': b'xy'.
constexpr const char* kProtocol2
    = "80027d71002858040000006e6f6e6571014e580300000079657371028858020000006e6f71038958030000006f6e"
      "6571044b015802000000623271054d2c015802000000623471064a7011010058030000006e656771074afbffffff"
      "58040000006c6f6e6771088a0600000000000158040000006875676571098a090000000000000080005803000000"
      "6c6f77710a8a090000000000000000c058040000007265616c710b47c00400000000000058040000007465787471"
      "0c58070000004772c3bcc39f65710d58050000007475706c65710e4b01580100000061710f867110580500000074"
      "6872656571114b014b024b038771125804000000666f75727113284b014b024b034b047471145805000000656d70"
      "747971155d711628295d71177d711865580600000073686172656471195d711a285d711b284b014b0265681b6575"
      "2e";
constexpr const char* kProtocol4
    = "800495f9000000000000007d94288c046e6f6e65944e8c0379657394888c026e6f94898c036f6e65944b018c0262"
      "32944d2c018c026234944a701101008c036e6567944afbffffff8c046c6f6e67948a060000000000018c04687567"
      "65948a090000000000000080008c036c6f77948a090000000000000000c08c047265616c9447c004000000000000"
      "8c0474657874948c074772c3bcc39f65948c057475706c65944b018c01619486948c057468726565944b014b024b"
      "0387948c04666f757294284b014b024b034b0474948c05656d707479945d9428295d947d94658c06736861726564"
      "945d94285d94284b014b0265681b658c056279746573944302787994752e";

std::string fromHex(std::string_view hex) {
    return QByteArray::fromHex(QByteArray(hex.data(), static_cast<qsizetype>(hex.size())))
        .toStdString();
}

std::string protocol3Of(std::string bytes) {
    bytes[1] = '\x03';
    return bytes;
}

PickleReader::TakeDict takeNothing() {
    return [](const PickleValue&, const std::optional<PickleValue>&) {
        return Result<std::optional<PickleValue>>(std::nullopt);
    };
}

// The reason of a refusal; empty: it is not refused.
std::string refusal(const std::string& bytes) {
    const auto stream = memoryStream(bytes);
    PickleReader reader(*stream, takeNothing());
    const auto read = reader.read();
    return read.hasValue() ? std::string() : read.error().message;
}

void hold(const std::string& bytes, std::string_view part) {
    const std::string why = refusal(bytes);
    VERIFY_SAYS(why, part);
}

} // namespace

class tst_Pickle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void valuesOfPython_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes);
        };
        row("protocol 2", fromHex(kProtocol2));
        row("protocol 3", protocol3Of(fromHex(kProtocol2)));
        row("protocol 4", fromHex(kProtocol4));
        std::string fifth = fromHex(kProtocol4);
        fifth[1] = '\x05';
        row("protocol 5", fifth);
    }

    void valuesOfPython() {
        QFETCH(QByteArray, bytes);
        const std::string text = bytes.toStdString();
        const auto stream = memoryStream(text);
        PickleReader reader(*stream, takeNothing());
        const auto root = reader.read();
        QVERIFY2(root.hasValue(), root.hasValue() ? "" : root.error().message.c_str());
        const auto of = [&](std::string_view key) {
            const PickleValue* value = reader.member(root.value(), key);
            return value == nullptr ? PickleValue{Kind::Taken} : *value;
        };
        QVERIFY(of("none").kind == Kind::None);
        QVERIFY(of("yes").kind == Kind::Boolean);
        QCOMPARE(of("yes").number, 1);
        QCOMPARE(of("no").number, 0);
        QCOMPARE(of("one").number, 1);
        QCOMPARE(of("b2").number, 300);
        QCOMPARE(of("b4").number, 70000);
        QCOMPARE(of("neg").number, -5);
        QCOMPARE(of("long").number, std::int64_t{1} << 40);
        QVERIFY(of("huge").kind == Kind::Real);
        QCOMPARE(of("huge").real(), 9223372036854775808.0);
        QCOMPARE(of("low").real(), -1180591620717411303424.0);
        QCOMPARE(of("real").real(), -2.5);
        QCOMPARE(reader.text(of("text")), std::string_view("Gr\u00fc\u00dfe"));
        QCOMPARE(reader.items(of("tuple")).size(), std::size_t{2});
        QCOMPARE(reader.text(reader.items(of("tuple"))[1]), std::string_view("a"));
        QCOMPARE(reader.items(of("three")).back().number, 3);
        QCOMPARE(reader.items(of("four")).size(), std::size_t{4});
        const auto empty = reader.items(of("empty"));
        QCOMPARE(empty.size(), std::size_t{3});
        QVERIFY(empty[1].isList() && empty[2].isDict());
        const auto shared = reader.items(of("shared"));
        QCOMPARE(shared[0].number, shared[1].number);
        QCOMPARE(reader.items(shared[1])[1].number, 2);
        QCOMPARE(reader.member(root.value(), "lacking"), nullptr);
    }

    void dictsAreTaken() {
        const std::string bytes
            = test::pickled({{"all", {{{"a", 1}}, {{"a", 2}}, {{"b", 3}}}}, {"one", {{{"a", 4}}}}});
        const auto stream = memoryStream(bytes);
        std::vector<std::pair<std::int64_t, bool>> taken; // value, and whether it has a list
        PickleReader* place = nullptr;
        PickleReader reader(
            *stream, [&](const PickleValue& dict, const std::optional<PickleValue>& list) {
                std::optional<PickleValue> instead;
                if (const PickleValue* value = place->member(dict, "a")) {
                    taken.emplace_back(value->number, list.has_value());
                    instead = PickleValue{Kind::Taken};
                }
                return Result<std::optional<PickleValue>>(instead);
            });
        place = &reader;
        const auto root = reader.read();
        QVERIFY(root.hasValue());
        QCOMPARE(
            taken, (std::vector<std::pair<std::int64_t, bool>>{{1, true}, {2, true}, {4, true}}));
        QCOMPARE(reader.items(*reader.member(root.value(), "all")).size(), std::size_t{1});
        QVERIFY(reader.items(*reader.member(root.value(), "one")).empty());
    }

    // Each item put by itself, and offered each time, would take hours.
    void dictsWithManyKeys() {
        using namespace std::string_literals;
        std::string bytes = "\x80\x02}"s;
        for (int i = 0; i < 1000; ++i)
            bytes += test::pickledNumber(i) + "Ns";
        bytes += '.';
        const auto stream = memoryStream(bytes);
        int offered = 0;
        PickleReader reader(*stream, [&](const PickleValue&, const std::optional<PickleValue>&) {
            ++offered;
            return Result<std::optional<PickleValue>>(std::nullopt);
        });
        QVERIFY(reader.read().hasValue());
        QCOMPARE(offered, 64);
    }

    void nothingIsRun() {
        hold("\x80\x02"
             "cos\nsystem\nX\x02\x00\x00\x00ls\x85R.",
            "GLOBAL os.system");
        using namespace std::string_literals;
        hold("\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."s, "STACK_GLOBAL posix.system");
        hold("\x80\x02K\x01K\x02R."s, "REDUCE");
        hold("\x80\x02}K\x02"
             "b."s,
            "BUILD");
        hold("\x80\x02}\x81."s, "NEWOBJ");
        hold("\x80\x04}\x92."s, "NEWOBJ_EX");
        hold("(ios\nsystem\n."s, "INST");
        hold("\x80\x02(o."s, "OBJ");
        hold("\x80\x02\x82\x01."s, "EXT1");
        hold("\x80\x02P1\n."s, "PERSID");
        hold("\x80\x04\x8f."s, "EMPTY_SET");
        hold("I1\n."s, "protocol 2 to 5");
        for (const auto& part : {"nothing of it is run"s, "byte"s})
            hold("\x80\x02"
                 "cos\nsystem\n."s,
                part);
    }

    void damaged() {
        using namespace std::string_literals;
        hold("\x80\x06."s, "protocol 6");
        hold("\x80\x02."s, "without one whole value");
        hold("\x80\x02K\x01K\x02."s, "without one whole value");
        hold("\x80\x02"
             "e."s,
            "never opened");
        hold("\x80\x02K\x01(K\x02"
             "e."s,
            "no list");
        hold("\x80\x02](K\x02u."s, "no dict");
        hold("\x80\x02}(K\x02u."s, "without a value");
        hold("\x80\x02h\x05."s, "never had");
        hold("\x80\x02"
             "a."s,
            "not there");
        hold("\x80\x02\xff."s, "0xff");
        hold("\x80\x02X\xff\xff\xff\x7f"s, "longer than");
        hold("\x80\x02\x8b\xff\xff\xff\x7f"s, "longer than");
        hold("\x80\x02]r\xff\xff\xff\x0f."s, "remembers more");
        hold("\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff"s, "cut short");
        hold("\x80\x02"s + std::string(100'000, '('), "lie in each other");
        hold("\x80\x02"s + std::string(9'000'000, 'N'), "at a time");
        const std::string whole = fromHex(kProtocol4);
        for (std::size_t size = 0; size < whole.size(); ++size)
            hold(whole.substr(0, size), "cut short");
    }
};

TRAINSCOPE_TEST(tst_Pickle)

#include "tst_Pickle.moc"
