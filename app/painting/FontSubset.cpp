#include "app/painting/FontSubset.h"

#include <hb-subset.h>

#include <memory>

namespace trainscope::app {

namespace {

template <auto Destroy>
struct Destroyer {
    template <typename T>
    void operator()(T* object) const {
        Destroy(object);
    }
};
using Face = std::unique_ptr<hb_face_t, Destroyer<hb_face_destroy>>;
using Blob = std::unique_ptr<hb_blob_t, Destroyer<hb_blob_destroy>>;
using Input = std::unique_ptr<hb_subset_input_t, Destroyer<hb_subset_input_destroy>>;

constexpr hb_tag_t kLayoutTables[] = {HB_TAG('G', 'D', 'E', 'F'), HB_TAG('G', 'P', 'O', 'S'),
    HB_TAG('G', 'S', 'U', 'B'), HB_TAG('k', 'e', 'r', 'n')};
// Family, style, full name and PostScript name.
constexpr hb_codepoint_t kNames[] = {1, 2, 4, 6};

// Bit 1 of OS/2 fsType: no embedding without the owner's permission.
bool forbidsEmbedding(const QRawFont& font) {
    const QByteArray table = font.fontTable("OS/2");
    constexpr qsizetype kFsTypeLow = 9;
    return table.size() > kFsTypeLow
        && (static_cast<unsigned char>(table[kFsTypeLow]) & 0x02U) != 0;
}

hb_blob_t* tableOf(hb_face_t*, hb_tag_t tag, void* font) {
    char name[5] = {};
    hb_tag_to_string(tag, name);
    const QByteArray table = static_cast<const QRawFont*>(font)->fontTable(name);
    return hb_blob_create(table.constData(), static_cast<unsigned>(table.size()),
        HB_MEMORY_MODE_DUPLICATE, nullptr, nullptr);
}

Input inputOf(const QString& characters) {
    Input input(hb_subset_input_create_or_fail());
    if (!input)
        return input;
    hb_subset_input_set_flags(
        input.get(), HB_SUBSET_FLAGS_NO_HINTING | HB_SUBSET_FLAGS_DESUBROUTINIZE);
    for (const uint character : characters.toUcs4())
        hb_set_add(hb_subset_input_unicode_set(input.get()), character);
    for (const hb_tag_t table : kLayoutTables)
        hb_set_add(hb_subset_input_set(input.get(), HB_SUBSET_SETS_DROP_TABLE_TAG), table);
    hb_set_t* names = hb_subset_input_set(input.get(), HB_SUBSET_SETS_NAME_ID);
    hb_set_clear(names);
    for (const hb_codepoint_t name : kNames)
        hb_set_add(names, name);
    return input;
}

} // namespace

Result<QByteArray> subsetFont(const QRawFont& font, const QString& characters) {
    if (!font.isValid())
        return Error{ErrorCode::NotFound, "The font of the figure's text is not installed.", {}};
    const std::string name = font.familyName().toStdString();
    if (forbidsEmbedding(font))
        return Error{ErrorCode::Refused,
            "The font " + name
                + " may not be embedded; install Inter (Debian: fonts-inter) for text that looks "
                  "the same everywhere.",
            {}};
    QRawFont source = font;
    const Face face(hb_face_create_for_tables(tableOf, &source, nullptr));
    const Input input = inputOf(characters);
    const Face subset(input ? hb_subset_or_fail(face.get(), input.get()) : nullptr);
    if (!subset)
        return Error{ErrorCode::Internal,
            "The font " + name + " could not be embedded; export as PDF instead.", {}};
    const Blob blob(hb_face_reference_blob(subset.get()));
    unsigned length = 0;
    const char* bytes = hb_blob_get_data(blob.get(), &length);
    return QByteArray(bytes, static_cast<qsizetype>(length));
}

} // namespace trainscope::app
