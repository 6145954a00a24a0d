
#include "core/catalogue/Tables.h"
#include "core/catalogue/TrainingModel.h"
#include "support/TestProgram.h"

using namespace trainscope::catalogue;

namespace {

const std::string kOwn
    = R"({"models":[{"name":"Tiny-1","layers":2,"hidden":8,"heads":2,"vocabulary":10}]})";

void write(const QString& path, const std::string& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(text));
}

} // namespace

class tst_TrainingModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBuiltInTextIsWhole() {
        const auto models = parseTrainingModels(builtInModelTable()).value();
        QCOMPARE(models.size(), std::size_t{20});
        for (const TrainingModel& model : models) {
            QVERIFY2(!model.source.empty(), model.name.c_str());
            // Mixtures of experts have heads of sizes of their own.
            const bool hasOwnHeads = model.experts > 8;
            QVERIFY2(
                hasOwnHeads || model.heads * model.headSize == model.hidden, model.name.c_str());
            QVERIFY2(model.heads % model.kvHeads == 0, model.name.c_str());
        }
    }

    void namesAsPeopleWriteThem_data() {
        // model: empty: none
        const auto row = test::keyed<QByteArray, QByteArray>("name", "model");
        row("gpt3-175b", "gpt3-175b");
        row("GPT-3 175B", "gpt3-175b");
        row("megatron_gpt3-175b", "gpt3-175b");
        row("gpt3-30b", "gpt3-30b");
        row("llama3-70b", "llama3-70b");
        row("meta-llama/Meta-Llama-3-70B", "llama3-70b");
        row("Llama-3.1-70B-Instruct", "llama3-70b");
        row("llama3-30b", "llama3-30b");
        row("llama3_8b", "llama3-8b");
        row("meta-llama/Llama-3.1-8B", "llama3-8b");
        row("mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b");
        row("mixtral_8x7b", "mixtral-8x7b");
        row("llama2_70b_lora", "llama2-70b");
        row("gpt-neox-20b", "gpt-neox-20b");
        row("resnet50", "");
        row("", "");
    }
    void namesAsPeopleWriteThem() {
        QFETCH(const QByteArray, name);
        QFETCH(const QByteArray, model);
        const ModelCatalogue catalogue{builtInModels(), {}};
        const TrainingModel* found = catalogue.byName(name.toStdString());
        QCOMPARE(found == nullptr ? QByteArray() : QByteArray::fromStdString(found->name), model);
    }

    void byLayersAndHiddenSize() {
        const ModelCatalogue catalogue{builtInModels(), {}};
        QCOMPARE(catalogue.byShape(56, 6144, true)->name, std::string("mixtral-8x22b"));
        QVERIFY(catalogue.byShape(56, 6144, false) == nullptr);
        QCOMPARE(catalogue.byShape(32, 4096, false)->name, std::string("llama3-8b"));
        QCOMPARE(catalogue.byShape(32, 4096, true)->name, std::string("mixtral-8x7b"));
        QVERIFY(catalogue.byShape(1, 2, false) == nullptr);
    }

    void whatIsLeftOutHasADefault() {
        const auto models = parseTrainingModels(kOwn).value();
        const TrainingModel& tiny = models.front();
        QCOMPARE(tiny.match, std::vector<std::string>{"tiny1"});
        QCOMPARE(tiny.kvHeads, 2);
        QCOMPARE(tiny.headSize, 4);
        QCOMPARE(tiny.ffn, 32);
        QCOMPARE(tiny.experts, 1);
        QCOMPARE(tiny.expertsPerToken, 1);
        QVERIFY(!tiny.gatedMlp && !tiny.tiedEmbeddings);
    }

    void ownModelsGoFirst() {
        const QTemporaryDir folder;
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("Trainscope")));
        QVERIFY(!modelCatalogue().problem.has_value()); // there need be no file
        const QString path = folder.filePath(QStringLiteral("Trainscope/models.json"));
        QCOMPARE(userModelsPath(), path.toStdString());
        write(path,
            R"({"models":[{"name":"gpt3-175b","layers":2,"hidden":8,"heads":2,"vocabulary":10}]})");
        QCOMPARE(modelCatalogue().byName("gpt3-175b")->layers, 2);
        QCOMPARE(modelCatalogue().models.size(), builtInModels().size() + 1);
        // Parsed once, until the file has another text; who holds the first one keeps it.
        const ModelCatalogue& first = modelCatalogue();
        QCOMPARE(&modelCatalogue(), &first);
        write(path,
            R"({"models":[{"name":"gpt3-175b","layers":3,"hidden":8,"heads":2,"vocabulary":10}]})");
        QCOMPARE(modelCatalogue().byName("gpt3-175b")->layers, 3);
        QCOMPARE(first.byName("gpt3-175b")->layers, 2);
        write(path, "{");
        const ModelCatalogue broken = modelCatalogue();
        qputenv("XDG_CONFIG_HOME", before);
        QVERIFY(broken.problem.has_value());
        QCOMPARE(broken.problem->where, path.toStdString());
        QCOMPARE(broken.models.size(), builtInModels().size());
    }

    void wrongEntriesSayWhy_data() {
        const auto row = test::columns<std::string, std::string>("entry", "word");

        row("number", "5", "Model 2");
        row("no name", R"({"layers":2,"hidden":8,"heads":2,"vocabulary":9})", "\"name\"");
        row("no layers", R"({"name":"x","hidden":8,"heads":2,"vocabulary":9})", "\"layers\"");
        row("text for a number", R"({"name":"x","layers":"2","hidden":8,"heads":2,"vocabulary":9})",
            "\"layers\" has to be a whole number");
        row("zero", R"({"name":"x","layers":0,"hidden":8,"heads":2,"vocabulary":9})", "above 0");
        row("fraction", R"({"name":"x","layers":1.5,"hidden":8,"heads":2,"vocabulary":9})",
            "whole number");
        row("misspelt", R"({"name":"x","layer":2,"layers":2,"hidden":8,"heads":2,"vocabulary":9})",
            "\"layer\" is no field");
        row("heads", R"({"name":"x","layers":2,"hidden":8,"heads":3,"vocabulary":9})",
            "no multiple of heads");
        row("kv heads",
            R"({"name":"x","layers":2,"hidden":8,"heads":4,"kv_heads":3,"vocabulary":9})",
            "kv_heads");
        row("gate without size",
            R"({"name":"x","layers":2,"hidden":8,"heads":2,"gated_mlp":true,"vocabulary":9})",
            "\"ffn\" is missing");
        row("experts", R"({"name":"x","layers":2,"hidden":8,"heads":2,"experts":4,"vocabulary":9})",
            "experts_per_token");
        row("too many of them",
            R"({"name":"x","layers":2,"hidden":8,"heads":2,"experts":4,"experts_per_token":5,"vocabulary":9})",
            "larger than experts");
        row("empty match",
            R"({"name":"x","match":["-"],"layers":2,"hidden":8,"heads":2,"vocabulary":9})",
            "\"match\"");
    }
    void wrongEntriesSayWhy() {
        QFETCH(const std::string, entry);
        QFETCH(const std::string, word);
        const auto models = parseTrainingModels(
            R"({"models":[{"name":"a","layers":2,"hidden":8,"heads":2,"vocabulary":10},)" + entry
            + "]}");
        QVERIFY(!models.hasValue());
        const std::string& message = models.error().message;
        VERIFY_SAYS(message, word);
        VERIFY_SAYS(message, "Model 2");
    }

    void noCatalogueAtAll() {
        for (const char* text : {"", "[]", "{}", R"({"models":{}})", "{\"models\":[]"})
            QVERIFY2(!parseTrainingModels(text).hasValue(), text);
    }
};

TRAINSCOPE_TEST(tst_TrainingModel)
#include "tst_TrainingModel.moc"
