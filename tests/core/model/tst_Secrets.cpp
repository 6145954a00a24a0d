// Secrets go, and what launches of trainings hold besides stays. Tokens are made up in the form
// that their services document.

#include "core/model/HarmlessText.h"
#include "core/model/Import.h"
#include "core/model/Secrets.h"
#include "support/TestProgram.h"

class tst_Secrets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("value");
        QTest::addColumn<bool>("isHidden");
        const auto row = [](const char* name, const char* value, bool isHidden) {
            QTest::addRow("%s=%s", name, value)
                << std::string(name) << std::string(value) << isHidden;
        };
        for (const char* name :
            {"HF_TOKEN", "WANDB_API_KEY", "PBS_JOBCOOKIE", "SLURM_JWT", "OPENAI_APIKEY", "api-key",
                "--client-secret", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "DB_PASSWORD",
                "MASTER_AUTHKEY", "GOOGLE_APPLICATION_CREDENTIALS", "accessToken", "X-Api-Key",
                "OMPI_MCA_orte_precondition_transports", "SSH_PRIVATE_KEY_BASE64",
                "X-Amz-Signature", "NGC_CLI_API_KEY", "GITHUB_TOKEN_2"})
            row(name, "abc", true);
        row("DB_PASSWORD", "1234", true);
        for (const char* name : {"tokenizer-model", "max-tokens", "tokens_per_step", "keyframes",
                 "author", "key_value_dtype", "SLURM_JOB_ID", "NCCL_ALGO", "auth_type"})
            row(name, "abc", false);
        row("num_key_value_heads", "8", false);
        row("NCCL_IB_PKEY", "0x7fff", false);
        row("--eos-token", "50256", false);
        row("--auth", "none", false);
    }
    void names() {
        QFETCH(std::string, name);
        QFETCH(std::string, value);
        QTEST(isSecret(name, value), "isHidden");
    }

    void texts_data() {
        const auto row = test::keyed<std::string, std::string>("text", "shown");
        row("python train.py --api-key abc --out d", "python train.py --api-key … --out d");
        row("export HF_TOKEN='a b c'; python x", "export HF_TOKEN='…'; python x");
        row("export HF_TOKEN=\"abc\" && python x", "export HF_TOKEN=\"…\" && python x");
        row("curl -H \"Authorization: Bearer abc\" u", "curl -H \"Authorization: Bearer …\" u");
        row("curl -H 'X-Api-Key:abc' u", "curl -H 'X-Api-Key:…' u");
        row("{\"api_key\":\"abc\",\"layers\":12}", "{\"api_key\":\"…\",\"layers\":12}");
        row("{'api_key': 'a b', 'layers': 12}", "{'api_key': '…', 'layers': 12}");
        row("api_key: abc", "api_key: …");
        row("git clone https://me:pw@host/x.git", "git clone https://…@host/x.git");
        row("https://0123456789abcdef0123@host/x", "https://…@host/x");
        row("https://host/x?a=1&sig=2&token=abc", "https://host/x?a=1&sig=2&token=…");
        row("wandb login 0123456789abcdef0123456789abcdef01234567 --x", "wandb login … --x");
        row("--id hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567", "--id …");
        row("--id sk-proj-abcdefghijkl0123456789", "--id …");
        row("--id ghp_0123456789abcdefghijklmnopqrstuvwxyz", "--id …");
        row("AKIAIOSFODNN7EXAMPLE", "…");
        row("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJlLW1hZGUtdXA y", "x … y");
        row("--opaque q7Zt3Wb9Lm2Xc8Vn4Kp6Rs1Ty5Hd0JfG", "--opaque …");
        row("/data/q7Zt3Wb9Lm2Xc8Vn4Kp6Rs1Ty5Hd0JfG/a", "/data/…/a");
        for (const char* plain :
            {"python -m torch.distributed.run --nproc-per-node=8 train.py",
                "--tokenizer-model /data/llama/tokenizer.model --max-tokens 4096",
                "--num_key_value_heads=8 --pad-token 0 --lr 1e-4",
                "meta-llama/Meta-Llama-3.1-70B-Instruct-FP8-dynamic",
                "results/H100x8/Llama70bTp8Pp4Vpp2Mbs1Gbs512", "A100SXM480GBx8TP8PP4VPP2MBS1GBS512",
                "FlashAttention2WithSlidingWindowAndGroupedQueries4096",
                "commit 3bd5b5d2a7b8c1e09f45d6a2b3c4d5e6f7089abc",
                "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "GPU-8f3c2a61-5b7e-4d1c-9a0f-2e6d8c7b5a43", "HF_HUB_ENABLE_HF_TRANSFER=1",
                "hf_transfer_download_manager_x", "tcp://10.0.0.1:29500", "http://host:9090/a?b=c",
                "s3://bucket/key/of/a/file", "ssh://git@github.com/x.git", "12:34:56 key 7",
                "+trainer.devices=8 ++model.micro_batch_size=4", "a 'b c' \"\" `d`"})
            row(plain, plain);
    }
    void texts() {
        QFETCH(std::string, text);
        QTEST(withoutSecrets(text), "shown");
        QCOMPARE(withoutSecrets(withoutSecrets(text)), withoutSecrets(text));
    }

    void commands_data() {
        using Words = std::vector<std::string>;
        const auto row = test::columns<Words, Words>("words", "shown");
        row("in a shell's text", {"bash", "-c", "python t.py --api-key KEY --lr 1e-4"},
            {"bash", "-c", "python t.py --api-key … --lr 1e-4"});
        row("variable in a shell's text", {"bash", "-c", "PBS_JOBCOOKIE=1A2B exec python t.py"},
            {"bash", "-c", "PBS_JOBCOOKIE=… exec python t.py"});
        row("a shell in a shell", {"bash", "-c", "srun bash -c \"x --token 'a b'\""},
            {"bash", "-c", "srun bash -c \"x --token '…'\""});
        row("with blanks", {"x", "--password", "two words", "y"}, {"x", "--password", "…", "y"});
        row("with separators", {"x", "--password=a&b c", "y"}, {"x", "--password=…", "y"});
        row("switch", {"x", "--use-auth-token", "--lr", "1"},
            {"x", "--use-auth-token", "--lr", "1"});
        row("number", {"x", "--pad-token", "0"}, {"x", "--pad-token", "0"});
        row("header", {"curl", "-H", "Authorization: Basic YTpi"},
            {"curl", "-H", "Authorization: Basic …"});
    }
    void commands() {
        QFETCH(std::vector<std::string>, words);
        QTEST(withoutSecrets(words), "shown");
    }

    void randomWordsAreFound() {
        // 1000 words of 40 characters by chance, drawn by a fixed rule: each of two conditions
        // lets pass what lies within two standard deviations, about 95 of 100.
        constexpr std::string_view alphabet
            = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        std::uint64_t state = 1;
        int found = 0;
        for (int word = 0; word < 1000; ++word) {
            std::string text;
            while (text.size() < 40) {
                state = state * 6364136223846793005ULL + 1442695040888963407ULL;
                text += alphabet[(state >> 33U) % alphabet.size()];
            }
            found += withoutSecrets(text) == "…" ? 1 : 0;
        }
        QVERIFY2(found >= 900, std::to_string(found).c_str());
    }

    void warningsThatQuoteALine() {
        ImportReport report;
        report.warn("a.log", 3, "Not understood: \"export HF_TOKEN=abc\".");
        QCOMPARE(
            report.warnings.front().text, std::string("Not understood: \"export HF_TOKEN=…\"."));
    }

    // Strangers' texts are shown well-formed, without control characters and without directions,
    // and unchanged where there is nothing to mend.
    void textsOfHarmlessText_data() {
        const auto row = test::columns<std::string, std::string>("text", "shown");
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
    void textsOfHarmlessText() {
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

TRAINSCOPE_TEST(tst_Secrets)
#include "tst_Secrets.moc"
