#include "ui/models/blocks/markdown_unit.h"

#include "ui/models/blocks/link_text.h"
#include "ui/models/blocks/unit_scanner.h"

#include <md4c.h>

#include <algorithm>

namespace alcove::ui {
namespace {

constexpr int kMaxCells = 20000;
constexpr int kMaxDepth = 8; // deeper nesting is drawn like this depth
constexpr QChar kBullets[] = {u'•', u'◦', u'▪'};

QString fromAttribute(const MD_ATTRIBUTE& attribute) {
    return QString::fromUtf8(attribute.text, qsizetype(attribute.size));
}

struct ListLevel {
    bool ordered = false;
    unsigned number = 0;
};

/// Receives what md4c finds and makes blocks of it.
class Builder {
public:
    Builder(const InlineSource& source, const Block& like, std::vector<Block>* blocks)
        : m_source(source), m_like(like), m_blocks(blocks) {}

    int parse(unsigned flags) {
        MD_PARSER parser{};
        parser.flags = flags;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
            return static_cast<Builder*>(self)->enterBlock(type, detail);
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
            return static_cast<Builder*>(self)->leaveBlock(type);
        };
        parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
            return static_cast<Builder*>(self)->enterSpan(type, detail);
        };
        parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
            return static_cast<Builder*>(self)->leaveSpan(type);
        };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
            return static_cast<Builder*>(self)->text(type, text, size);
        };
        return md_parse(m_source.utf8().constData(), MD_SIZE(m_source.utf8().size()), &parser,
                        this);
    }

private:
    Block newBlock(BlockKind kind) {
        Block block = m_like;
        block.kind = kind;
        block.quoteDepth = quint8(std::min(m_quotes, kMaxDepth));
        block.listDepth = quint8(std::min(int(m_lists.size()), kMaxDepth));
        block.sourceStart = -1;
        if (!m_blocks->empty() && m_started)
            block.continued = false;
        m_started = true;
        if (m_itemPending) {
            block.marker = std::exchange(m_marker, QString());
            block.task = m_task;
            m_itemPending = false;
        }
        return block;
    }

    void open(BlockKind kind) {
        m_block = newBlock(kind);
        m_text = &m_block.text;
        m_spans = &m_block.spans;
        m_inBlock = true;
    }

    void close() {
        if (!m_inBlock)
            return;
        m_inBlock = false;
        if (m_block.kind == BlockKind::Code)
            return closeCode();
        if (m_block.kind == BlockKind::Paragraph && m_displayFormula && m_block.spans.size() == 1 &&
            m_block.spans[0].length == m_block.text.size())
            m_block.kind = BlockKind::Formula;
        m_displayFormula = false;
        push(m_block);
    }

    void push(Block block) {
        if (block.sourceStart < 0)
            block.sourceStart = m_lastPosition;
        m_blocks->push_back(std::move(block));
    }

    /// Long code within a list is cut like other code.
    void closeCode() {
        QString code = m_block.text;
        if (code.endsWith(u'\n'))
            code.chop(1);
        m_block.group = m_block.sourceStart < 0 ? m_lastPosition : m_block.sourceStart;
        int line = 0;
        qsizetype start = 0;
        do {
            const int limit = line == 0 ? kFirstCodeLines : kCodeLines;
            qsizetype end = start;
            int count = 0;
            while (end >= 0 && end < code.size() && count < limit) {
                const qsizetype lineEnd = code.indexOf(u'\n', end);
                end = lineEnd < 0 ? code.size() : lineEnd + 1;
                ++count;
            }
            Block piece = m_block;
            piece.text = code.mid(start, end - start);
            if (end < code.size())
                piece.text.chop(1);
            piece.firstLine = line;
            piece.continued = line > 0;
            push(piece);
            m_block.marker.clear();
            line += count;
            start = end;
        } while (start < code.size());
    }

    int enterBlock(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
        case MD_BLOCK_QUOTE:
            close();
            ++m_quotes;
            break;
        case MD_BLOCK_UL:
            close();
            m_lists.push_back({});
            break;
        case MD_BLOCK_OL:
            close();
            m_lists.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
            break;
        case MD_BLOCK_LI:
            beginItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
            break;
        case MD_BLOCK_HR:
            push(newBlock(BlockKind::Rule));
            break;
        case MD_BLOCK_H:
            open(BlockKind::Heading);
            m_block.level = quint8(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
            break;
        case MD_BLOCK_CODE:
            open(BlockKind::Code);
            m_block.language =
                fenceLanguage(fromAttribute(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang))
                    .toString();
            break;
        case MD_BLOCK_P:
            open(BlockKind::Paragraph);
            break;
        case MD_BLOCK_TABLE:
            open(BlockKind::Table);
            m_table = std::make_unique<TableData>();
            m_table->columns = int(static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)->col_count);
            m_table->hasHeader = true;
            break;
        case MD_BLOCK_TH:
        case MD_BLOCK_TD:
            return beginCell(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align);
        default:
            break;
        }
        return 0;
    }

    void beginItem(const MD_BLOCK_LI_DETAIL& item) {
        close();
        flushEmptyItem();
        ListLevel& level = m_lists.back();
        if (level.ordered)
            m_marker = QString::number(level.number++) + u'.';
        else
            m_marker = kBullets[std::min<size_t>(m_lists.size() - 1, std::size(kBullets) - 1)];
        m_task = item.is_task ? (item.task_mark == ' ' ? 0 : 1) : -1;
        m_itemPending = true;
    }

    void flushEmptyItem() {
        if (m_itemPending)
            push(newBlock(BlockKind::Paragraph));
    }

    int beginCell(MD_ALIGN align) {
        if (m_table->cells.size() >= kMaxCells)
            return 1;
        if (m_table->align.size() < size_t(m_table->columns))
            m_table->align.push_back(align == MD_ALIGN_RIGHT    ? TableData::Right
                                     : align == MD_ALIGN_CENTER ? TableData::Center
                                                                : TableData::Left);
        m_table->cells.emplace_back();
        m_text = &m_table->cells.back().text;
        m_spans = &m_table->cells.back().spans;
        return 0;
    }

    int leaveBlock(MD_BLOCKTYPE type) {
        switch (type) {
        case MD_BLOCK_QUOTE:
            close();
            --m_quotes;
            break;
        case MD_BLOCK_LI:
            close();
            flushEmptyItem();
            break;
        case MD_BLOCK_UL:
        case MD_BLOCK_OL:
            m_lists.pop_back();
            break;
        case MD_BLOCK_H:
        case MD_BLOCK_CODE:
        case MD_BLOCK_P:
            close();
            break;
        case MD_BLOCK_TABLE:
            endTable();
            break;
        default:
            break;
        }
        return 0;
    }

    void endTable() {
        m_inBlock = false;
        m_block.text = tableText(*m_table);
        m_block.table = std::shared_ptr<const TableData>(std::move(m_table));
        m_block.group = m_block.sourceStart;
        push(m_block);
    }

    void ensureBlock() {
        if (!m_inBlock)
            open(BlockKind::Paragraph); // text of a tight list's item
    }

    int enterSpan(MD_SPANTYPE type, void* detail) {
        ensureBlock();
        switch (type) {
        case MD_SPAN_EM:
            ++m_depth[0];
            break;
        case MD_SPAN_STRONG:
            ++m_depth[1];
            break;
        case MD_SPAN_DEL:
            ++m_depth[2];
            break;
        case MD_SPAN_CODE:
            ++m_depth[3];
            break;
        case MD_SPAN_A:
            m_address = fromAttribute(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
            m_address.replace(QLatin1String("&amp;"), QLatin1String("&"));
            m_target = allowedLinkTarget(m_address);
            m_linkStart = int(m_text->size());
            break;
        case MD_SPAN_IMG:
            add(QStringLiteral("!["));
            m_pictures.push_back(fromAttribute(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
            break;
        default:
            break;
        }
        return 0;
    }

    int leaveSpan(MD_SPANTYPE type) {
        switch (type) {
        case MD_SPAN_EM:
            --m_depth[0];
            break;
        case MD_SPAN_STRONG:
            --m_depth[1];
            break;
        case MD_SPAN_DEL:
            --m_depth[2];
            break;
        case MD_SPAN_CODE:
            --m_depth[3];
            break;
        case MD_SPAN_A:
            endLink();
            break;
        case MD_SPAN_IMG:
            endPicture();
            break;
        default:
            break;
        }
        return 0;
    }

    void endLink() {
        const QString target = std::exchange(m_target, QString());
        const QStringView shown = QStringView(*m_text).mid(m_linkStart);
        // What cannot be followed, or leads elsewhere than it reads, shows where it leads.
        const bool hidden = target.isEmpty() && shown != m_address;
        if (hidden || (!target.isEmpty() && looksLikeOtherAddress(shown, target)))
            add(QStringLiteral(" (") + m_address + u')');
    }

    void endPicture() {
        const QString address = m_pictures.back();
        m_pictures.pop_back();
        add(QStringLiteral("]("));
        const QString outer = std::exchange(m_target, allowedLinkTarget(address));
        add(address);
        m_target = outer;
        add(QStringLiteral(")"));
    }

    quint8 style() const {
        quint8 style = 0;
        if (m_depth[0] > 0)
            style |= Span::Emphasis;
        if (m_depth[1] > 0)
            style |= Span::Strong;
        if (m_depth[2] > 0)
            style |= Span::Strike;
        if (m_depth[3] > 0)
            style |= Span::Code;
        if (!m_target.isEmpty())
            style |= Span::Link;
        return style;
    }

    void add(QStringView piece, quint8 extra = 0) {
        if (piece.isEmpty())
            return;
        const quint8 wanted = style() | extra;
        const int start = int(m_text->size());
        m_text->append(piece);
        if (wanted == 0)
            return;
        if (!m_spans->isEmpty()) {
            Span& last = m_spans->last();
            if (last.style == wanted && last.target == m_target &&
                last.start + last.length == start && extra == 0) {
                last.length += int(piece.size());
                return;
            }
        }
        m_spans->append({start, int(piece.size()), wanted, m_target});
    }

    int text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size) {
        ensureBlock();
        if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
            add(u"\n");
            return 0;
        }
        if (type == MD_TEXT_NULLCHAR) {
            add(u"\uFFFD");
            return 0;
        }
        const QByteArray& buffer = m_source.utf8();
        const bool inside = text >= buffer.constData() && text + size <= buffer.constEnd();
        if (!inside) { // indents and line ends that md4c makes up
            add(QString::fromUtf8(text, qsizetype(size)));
            return 0;
        }
        const qsizetype offset = text - buffer.constData();
        m_lastPosition = m_source.sourceAt(offset);
        if (m_block.sourceStart < 0)
            m_block.sourceStart = m_lastPosition;
        addMapped(offset, qsizetype(size), type == MD_TEXT_CODE);
        return 0;
    }

    /// Text of the buffer; place holders become their formulas, as typed within code.
    void addMapped(qsizetype offset, qsizetype size, bool code) {
        const QByteArray& buffer = m_source.utf8();
        qsizetype start = offset;
        const qsizetype end = offset + size;
        for (qsizetype i = offset; m_source.hasFormulas() && i < end; ++i) {
            const InlineSource::Formula* formula = m_source.formulaAt(i);
            if (!formula)
                continue;
            add(QString::fromUtf8(buffer.constData() + start, i - start));
            if (code) {
                add(formula->source);
            } else {
                add(formulaText(formula->body), Span::Formula);
                m_displayFormula = formula->display;
            }
            start = i + InlineSource::kPlaceholderBytes;
        }
        if (start < end)
            add(QString::fromUtf8(buffer.constData() + start, end - start));
    }

    const InlineSource& m_source;
    const Block& m_like;
    std::vector<Block>* m_blocks;
    Block m_block;
    bool m_inBlock = false;
    bool m_started = false;
    QString* m_text = nullptr;
    Spans* m_spans = nullptr;
    std::unique_ptr<TableData> m_table;
    std::vector<ListLevel> m_lists;
    int m_quotes = 0;
    QString m_marker;
    qint8 m_task = -1;
    bool m_itemPending = false;
    int m_depth[4] = {};
    QString m_address;
    QString m_target;
    int m_linkStart = 0;
    std::vector<QString> m_pictures;
    bool m_displayFormula = false;
    int m_lastPosition = 0;
};

} // namespace

void parseMarkdownUnit(const InlineSource& source, const Block& like, std::vector<Block>* blocks) {
    constexpr unsigned kFlags =
        MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML;
    const size_t first = blocks->size();
    if (Builder(source, like, blocks).parse(kFlags | MD_FLAG_TABLES) == 0)
        return;
    blocks->resize(first);
    if (Builder(source, like, blocks).parse(kFlags) != 0)
        blocks->resize(first);
}

} // namespace alcove::ui
