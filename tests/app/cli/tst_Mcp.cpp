// `mcp`: both forms of the protocol, tools and their schemas, answers within their bounds, and
// requests and databases of any kind.

#include "app/cli/support/Agent.h"
#include "app/cli/support/RunCli.h"
#include "support/TestProgram.h"

#include <regex>
#include <thread>

using namespace trainscope::test;

namespace {

json requestOf(const std::string& method, const json& params) {
    return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
}

// Lines of a table behind its head.
int linesOf(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

class tst_Mcp : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string m_database;

private Q_SLOTS:
    void initTestCase() {
        QByteArray log("timestamp, index, power.draw [W], temperature.gpu\n");
        for (int i = 0; i < 100; ++i) {
            for (int gpu = 0; gpu < 2; ++gpu)
                log += QByteArray("2026/01/31 12:0") + QByteArray::number(i / 60) + ':'
                    + QByteArray::number(i % 60).rightJustified(2, '0') + ".000, "
                    + QByteArray::number(gpu) + ", " + QByteArray::number(200 + 100 * gpu)
                    + ".00 W, " + QByteArray::number(50 + 10 * gpu + i % 10) + '\n';
        }
        m_database = pathIn(m_folder, "runs.trainscope");
        for (const char* name : {"job", "other"}) {
            const std::string file = pathIn(m_folder, (std::string(name) + ".csv").c_str());
            QVERIFY(writeContent(file, log));
            QVERIFY(succeeds({"import", file, "--into", m_database, "--name", name}));
        }
    }

    void discovery() {
        Agent agent(m_database);
        const json result = agent.request("server/discover")["result"];
        QCOMPARE(result["supportedVersions"][0], "2026-07-28");
        QVERIFY(result["capabilities"].contains("tools"));
        QCOMPARE(result["resultType"], "complete");
        QCOMPARE(result["cacheScope"], "private");
        QVERIFY(result["ttlMs"].get<int>() > 0);
        QCOMPARE(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "trainscope");
        QVERIFY(result["instructions"].get<std::string>().find("findings") != std::string::npos);
        // Nothing is kept between requests: without its _meta the next is not understood.
        QCOMPARE(agent.send(requestOf("tools/list", json::object()))["error"]["code"], -32602);
        QCOMPARE(agent.request("ping")["error"]["code"], -32601); // gone from this revision
        QCOMPARE(agent.request("initialize")["error"]["code"], -32601);
    }

    void versionsThatAreNotThere() {
        Agent agent(m_database);
        json meta = metaOfAgent();
        meta["io.modelcontextprotocol/protocolVersion"] = "1900-01-01";
        const json error = agent.send(requestOf("tools/list", {{"_meta", meta}}))["error"];
        QCOMPARE(error["code"], -32022);
        QCOMPARE(error["data"]["requested"], "1900-01-01");
        QCOMPARE(error["data"]["supported"][0], "2026-07-28");
        meta = metaOfAgent();
        meta.erase("io.modelcontextprotocol/clientCapabilities");
        QCOMPARE(agent.send(requestOf("tools/list", {{"_meta", meta}}))["error"]["code"], -32602);
    }

    void handshake_data() {
        const auto row = columns<std::string, std::string>("asked", "agreed");
        row("2025-11-25", "2025-11-25", "2025-11-25");
        row("2025-06-18", "2025-06-18", "2025-06-18");
        row("2025-03-26", "2025-03-26", "2025-03-26");
        row("2024-11-05", "2024-11-05", "2024-11-05");
        row("unknown", "1999-01-01", "2025-11-25");
        row("without a handshake", "2026-07-28", "2025-11-25");
    }

    void handshake() {
        QFETCH(std::string, asked);
        QFETCH(std::string, agreed);
        Agent agent(m_database);
        QCOMPARE(agent.send(requestOf("ping", json::object()))["result"], json::object());
        const json result = agent.send(requestOf("initialize",
            {{"protocolVersion", asked}, {"capabilities", json::object()},
                {"clientInfo", {{"name", "test"}, {"version", "1"}}}}))["result"];
        QCOMPARE(result["protocolVersion"], agreed);
        QVERIFY(result["capabilities"].contains("tools"));
        QCOMPARE(result["serverInfo"]["name"], "trainscope");
        QVERIFY(
            agent.send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}).is_null());
        const json list = agent.send(requestOf("tools/list", json::object()))["result"];
        QCOMPARE(list["tools"].size(), 10U);
        QVERIFY(!list.contains("resultType"));
        const json called
            = agent.send(requestOf("tools/call", {{"name", "runs"}, {"arguments", nullptr}}));
        VERIFY_SAYS(called["result"]["content"][0]["text"].get<std::string>(), "other");
        QCOMPARE(agent.send(requestOf("server/discover", json::object()))["error"]["code"], -32601);
    }

    void batches() {
        Agent agent(m_database);
        const json two = agent.send(json::array({requestOf("ping", json::object()),
            {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}, 3}));
        QCOMPARE(two.size(), 2U);
        QCOMPARE(two[1]["error"]["code"], -32600);
        QCOMPARE(agent.send(json::array())["error"]["code"], -32600);
        QCOMPARE(agent.send(json::array({33, requestOf("ping", json::object())})).size(), 2U);
        json many = json::array();
        for (int i = 0; i < 33; ++i)
            many.push_back(requestOf("ping", json::object()));
        QCOMPARE(agent.send(many)["error"]["code"], -32600);
    }

    void badLines_data() {
        const auto row = columns<std::string, int>("line", "code");
        row("no JSON", "hello", -32700);
        const std::string ping = requestOf("ping", json::object()).dump();
        row("cut", ping.substr(0, ping.size() / 2), -32700);
        row("no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700);
        row("deep", std::string(100'000, '['), -32600);
        row("deep in a request", ping.substr(0, ping.size() - 3) + std::string(70, '{'), -32600);
        row("huge", std::string((std::size_t{1} << 20) + 1, ' ') + "{}", -32600);
        row("a number", "3", -32600);
        row("nothing", "{}", -32600);
        row("another version", R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600);
        row("id null", R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600);
        row("id list", R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", -32600);
        row("method number", R"({"jsonrpc":"2.0","id":1,"method":1})", -32600);
        row("params list", R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", -32602);
        row("number beyond all", R"({"jsonrpc":"2.0","id":1e999,"method":"ping"})", -32700);
        const auto call = [](const char* params) {
            json asked = json::parse(params);
            asked["_meta"] = metaOfAgent();
            return requestOf("tools/call", asked).dump();
        };
        row("unknown tool", call(R"({"name":"nothing"})"), -32602);
        row("tool number", call(R"({"name":1})"), -32602);
        row("arguments list", call(R"({"name":"runs","arguments":[]})"), -32602);
    }

    void badLines() {
        QFETCH(std::string, line);
        QFETCH(int, code);
        Agent agent(m_database);
        const json answer = agent.answered(line);
        QCOMPARE(answer["error"]["code"], code);
        QVERIFY(!answer["error"]["message"].get<std::string>().empty());
        QVERIFY(!answer.contains("result"));
        QCOMPARE(agent.send(requestOf("ping", json::object()))["result"], json::object());
    }

    void keysByTheThousandsCostNoSquare() {
        std::string line = requestOf("ping", json::object()).dump();
        line.pop_back();
        for (int i = 0; i < 60'000; ++i)
            line += ",\"k" + std::to_string(i) + "\":1";
        QCOMPARE(Agent(m_database).answered(line + "}")["result"], json::object());
    }

    void whatNeedsNoAnswerGetsNone() {
        Agent agent(m_database);
        for (const char* line :
            {"", "  \r", R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
                R"({"jsonrpc":"2.0","id":5,"result":{}})"})
            QVERIFY(agent.answered(line).is_null());
    }

    // Schemas say of an option all that the command line knows.
    void schemas() {
        Agent agent(m_database);
        const json answer = agent.request("tools/list")["result"];
        QVERIFY(answer.dump().size() / 4 < 6000);
        std::map<std::string, json> tools;
        for (const json& tool : answer["tools"]) {
            const auto name = tool["name"].get<std::string>();
            QVERIFY(std::regex_match(name, std::regex("[a-z_]{1,64}")));
            QVERIFY(!tool["description"].get<std::string>().empty());
            QCOMPARE(tool["annotations"]["readOnlyHint"], true);
            const json& schema = tool["inputSchema"];
            QCOMPARE(schema["type"], "object");
            QCOMPARE(schema["additionalProperties"], false);
            for (const auto& [key, property] : schema["properties"].items()) {
                QVERIFY(std::regex_match(key, std::regex("[a-z_]{1,64}")));
                QVERIFY(!property["description"].get<std::string>().empty());
            }
            tools[name] = schema["properties"];
        }
        QCOMPARE(tools.size(), 10U);
        QCOMPARE(tools["kernels"]["rank"]["type"], "integer");
        QCOMPARE(tools["timeline"]["from"]["type"], "number");
        QCOMPARE(tools["timeline"]["detail"]["type"], "boolean");
        QCOMPARE(tools["kernels"]["by"]["enum"], (json{"energy", "time"}));
        QCOMPARE(tools["compare"]["run"]["type"], "array");
        QVERIFY(!tools["runs"].contains("database"));
        QVERIFY(!tools["replay"].contains("save") && !tools["predict"].contains("into"));
        // Every option that a row names is one of its command.
        QCOMPARE(tools["replay"].size(), 6U); // with rows
        QCOMPARE(tools["figure"].size(), 13U);
        QCOMPARE(tools["predict"].size(), 24U);
    }

    void writingIsOfferedWhereItIsAllowed() {
        Agent agent({}, true);
        for (const json& tool : agent.request("tools/list")["result"]["tools"]) {
            const json& schema = tool["inputSchema"];
            QVERIFY(schema["properties"].contains("database"));
            const bool isPredict = tool["name"] == "predict";
            QCOMPARE(schema["required"].empty(), isPredict);
            const bool isWriting
                = isPredict || tool["name"] == "replay" || tool["name"] == "compare";
            QCOMPARE(tool["annotations"]["readOnlyHint"], !isWriting);
        }
        const std::string copy = pathIn(m_folder, "written.trainscope");
        QVERIFY(QFile::copy(QString::fromStdString(m_database), QString::fromStdString(copy)));
        const json kept = agent.call(
            "compare", {{"database", copy}, {"run", {"job", "other"}}, {"save", "both"}});
        QCOMPARE(kept["isError"], false);
        QCOMPARE(jsonOf({"info", copy})["comparisons"][0]["name"], "both");
    }

    void nothingIsWritten() {
        const QByteArray before = contentOf(m_database);
        Agent agent(m_database);
        const json save{{"run", {"job", "other"}}, {"save", "both"}};
        QVERIFY(agent.call("compare", save)["isError"].get<bool>());
        QVERIFY(agent.call("sql", {{"sql", "DELETE FROM run"}})["isError"].get<bool>());
        QVERIFY(agent.call("sql", {{"sql", "ATTACH 'x.db' AS x"}})["isError"].get<bool>());
        for (const char* tool : {"runs", "overview", "findings", "kernels", "timeline", "replay"})
            agent.call(tool, {{"run", "job"}});
        QCOMPARE(contentOf(m_database), before);
    }

    void answersAreColumnsInSi() {
        Agent agent(m_database);
        const std::string text = agent.ask("timeline", {{"run", {"job"}}});
        VERIFY_SAYS(text, "rank\tnode\tlocal\tpower, mean (W)\tpower, peak (W)");
        VERIFY_SAYS(text, "0\t0\t0\t200\t200\t");
        VERIFY_SAYS(text, "1\t0\t1\t300\t300\t");
        // Ten readings of 60 to 69 °C; each holds for a second.
        const std::string part
            = agent.ask("timeline", {{"run", {"job"}}, {"from", 10}, {"to", 20}});
        VERIFY_SAYS(part, "64.5");
        VERIFY_SAYS(part, "only 10 s to 20 s of the run");
    }

    void rowsAreBounded() {
        Agent agent(m_database);
        const json sql{{"sql", "SELECT time_ns, value FROM samples"}};
        const std::string few = agent.ask("sql", sql);
        QCOMPARE(linesOf(few), 22); // head, twenty rows, how to see more
        VERIFY_SAYS(few, "a larger `rows` shows more");
        json more = sql;
        more["rows"] = 70;
        QCOMPARE(linesOf(agent.ask("sql", more)), 72);
        more["rows"] = 1e300;
        QCOMPARE(linesOf(agent.ask("sql", more)), 401 + 400); // all samples of two metrics
    }

    // Long cells do not make a long answer.
    void bytesAreBounded() {
        const std::string text = Agent(m_database).ask("sql", {{"sql", "SELECT " + manyColumns()}});
        QVERIFY(text.size() < 25'000);
        VERIFY_SAYS(text, "cut at 24000 bytes");
    }

    void endlessQuestionsEnd() {
        cli::Server server(
            cli::Tools(cli::fullProgram(), m_database, false), [](const json&) -> cli::Watch {
                return
                    [](const std::stop_token&, std::atomic<bool>& cancelled) { cancelled = true; };
            });
        json params{{"name", "sql"}, {"arguments", {{"sql", kEndless}}}, {"_meta", metaOfAgent()}};
        const json answer = json::parse(server.answer(requestOf("tools/call", params).dump()));
        QCOMPARE(answer["result"]["isError"], true);
        VERIFY_SAYS(answer["result"]["content"][0]["text"].get<std::string>(), "too long");
    }

    void wrongArguments_data() {
        const auto row
            = columns<std::string, std::string, std::string>("tool", "arguments", "says");
        row("unknown", "kernels", R"({"runs":"job"})", "no argument \"runs\"");
        row("a text for an integer", "kernels", R"({"run":"job","rank":"x"})", "rank");
        row("an object", "kernels", R"({"run":{"name":"job"}})", "\"run\" is a string");
        row("a list for one", "kernels", R"({"run":["job"]})", "\"run\" is a string");
        row("no flag", "timeline", R"({"detail":"yes"})", "\"detail\" is a boolean");
        row("a flag for a text", "kernels", R"({"run":true})", "\"run\" is a string");
        row("excluded", "kernels", R"({"run":"job","steady":true,"iteration":1})", "--steady");
        row("unknown run", "overview", R"({"run":"nobody"})", "Its runs are: job, other");
        row("which run", "findings", "{}", "Its runs are: job, other");
        row("an option in a value", "overview", R"({"run":"--json"})", "--json");
        row("no choice", "kernels", R"({"run":"job","by":"colour","above_limit":true})", "colour");
        row("no SQL", "sql", "{}", "SQL");
        row("wrong SQL", "sql", R"({"sql":"SELEC 1"})", "SELEC");
        row("an option for SQL", "sql", R"({"sql":"--csv"})", "Nothing is asked");
        row("an empty window", "timeline", R"({"run":["job"],"from":50,"to":20})", "--from");
        row("another database", "runs", R"({"database":"/etc/passwd"})", "no argument");
        row("a file", "figure", R"({"run":["job"],"out":"/tmp/x.png"})", "no argument");
        row("no kind", "figure", R"({"kind":"pie"})", "pie");
    }

    void wrongArguments() {
        QFETCH(std::string, tool);
        QFETCH(std::string, arguments);
        QFETCH(std::string, says);
        const json result = Agent(m_database).call(tool, json::parse(arguments));
        QCOMPARE(result["isError"], true);
        const auto text = result["content"][0]["text"].get<std::string>();
        VERIFY_SAYS(text, says);
        VERIFY_SAYS(text, "Next: ");
    }

    void nothingSaidIsNoArgument() {
        const json arguments{{"run", "job"}, {"capture", nullptr}, {"network_gbps", ""}};
        QCOMPARE(Agent(m_database).call("findings", arguments)["isError"], false);
        const json numbers{{"run", "job"}, {"network_gbps", "400"}};
        QCOMPARE(Agent(m_database).call("findings", numbers)["isError"], false);
    }

    void databasesThatCannotBeAsked_data() {
        const auto row = columns<std::string, std::string>("kind", "says");
        row("missing", "missing", "no such file");
        row("cut", "cut", "Next: ");
        row("newer", "newer", "newer");
        row("a log", "log", "Next: ");
        row("a folder", "folder", "Next: ");
    }

    void databasesThatCannotBeAsked() {
        QFETCH(std::string, kind);
        QFETCH(std::string, says);
        const std::string path = kind == "folder" ? m_folder.path().toStdString()
            : kind == "log"                       ? pathIn(m_folder, "job.csv")
                                                  : pathIn(m_folder, kind.c_str());
        if (kind == "cut" || kind == "newer") {
            QByteArray bytes = contentOf(m_database);
            if (kind == "cut")
                bytes.truncate(bytes.size() / 2);
            else
                bytes.replace(60, 4, QByteArray::fromHex("0000270f")); // user_version
            QVERIFY(writeContent(path, bytes));
        }
        Agent agent(path);
        for (const char* tool : {"runs", "overview", "findings", "timeline"}) {
            const json result = agent.call(tool, {});
            if (kind == "cut" && result["isError"] == false)
                continue; // the rest may answer
            QCOMPARE(result["isError"], true);
            VERIFY_SAYS(result["content"][0]["text"].get<std::string>(), says);
        }
    }

    void databasesMayGrow() {
        const std::string path = pathIn(m_folder, "grows.trainscope");
        Agent agent(path);
        QVERIFY(agent.call("runs")["isError"].get<bool>());
        for (const char* name : {"job", "other"}) {
            const std::string file = pathIn(m_folder, (std::string(name) + ".csv").c_str());
            QVERIFY(succeeds({"import", file, "--into", path, "--name", name}));
            VERIFY_SAYS(agent.ask("runs"), name);
        }
    }

    // Requests of ten kinds with one to eight bytes changed, left out, doubled or put in: each line
    // gets one sound answer or none.
    void mutatedRequests() {
        std::mt19937 random(62); // NOLINT(cert-msc51-cpp): the same requests each time
        const auto upTo = [&random](std::size_t most) { return random() % most; };
        std::vector<std::string> seeds;
        for (const char* method : {"server/discover", "ping", "notifications/cancelled", "x"})
            seeds.push_back(requestOf(method, {{"_meta", metaOfAgent()}}).dump());
        seeds.push_back(requestOf("initialize", {{"protocolVersion", "2025-06-18"}}).dump());
        seeds.push_back(json::array({requestOf("ping", json::object())}).dump());
        for (const char* tool : {"runs", "sql", "kernels", "predict"})
            seeds.push_back(requestOf("tools/call",
                {{"_meta", metaOfAgent()}, {"name", tool},
                    {"arguments", {{"run", "job"}, {"sql", "SELECT 1"}, {"rows", 3}}}})
                                .dump());
        const std::string_view parts = "{}[]\",:\\0123456789eE.-+truefalsn\n\t\xff\x80 ";
        cli::Server server(cli::Tools(cli::fullProgram(), pathIn(m_folder, "none"), false));
        int answers = 0;
        for (int i = 0; i < 100'000; ++i) {
            std::string line = seeds[upTo(seeds.size())];
            for (auto changes = 1 + upTo(8); changes > 0; --changes) {
                const auto at = upTo(line.size());
                switch (upTo(4)) {
                case 0:
                    line[at] = parts[upTo(parts.size())];
                    break;
                case 1:
                    line.erase(at, 1 + upTo(4));
                    break;
                case 2:
                    line.insert(at, line.substr(at, upTo(40)));
                    break;
                default:
                    line.insert(at, 1, parts[upTo(parts.size())]);
                }
                if (line.empty())
                    line = "{";
            }
            const std::string answer = server.answer(line);
            if (answer.empty())
                continue;
            const json told = json::parse(answer, nullptr, false);
            QVERIFY2(!told.is_discarded() && answer.find('\n') == std::string::npos, line.c_str());
            ++answers;
        }
        QVERIFY(answers > 90'000);
    }

private:
    // 2,000 columns of 48 bytes.
    static std::string manyColumns() {
        std::string text;
        for (int i = 0; i < 1900; ++i)
            text += std::string(i == 0 ? "" : ",")
                + "'a value that takes forty-eight bytes of the answer'";
        return text;
    }
};

TRAINSCOPE_TEST(tst_Mcp)
#include "tst_Mcp.moc"
