#include "ui/qml/items/list_accessible.h"

#include <QQmlContext>
#include <QQmlProperty>
#include <QQuickWindow>

#include <algorithm>

namespace alcove::ui {
namespace {

QAccessibleInterface* listFactory(const QString&, QObject* object) {
    auto* item = qobject_cast<QQuickItem*>(object);
    return item != nullptr && item->inherits("QQuickListView") ? new ListAccessible(item) : nullptr;
}

bool isAccessible(QAccessibleInterface* face) {
    return face != nullptr && face->role() != QAccessible::NoRole;
}

} // namespace

ListAccessible::ListAccessible(QQuickItem* list) : QAccessibleObject(list) {}

void ListAccessible::install() {
    QAccessible::installFactory(listFactory);
}

QList<QQuickItem*> ListAccessible::rows() const {
    struct Place {
        int row;
        QQuickItem* item;
    };
    QList<Place> places;
    auto* content = list()->property("contentItem").value<QQuickItem*>();
    if (content == nullptr)
        return {};
    for (QQuickItem* item : content->childItems()) {
        const QVariant row = item->property("index");
        if (!row.isValid() || !item->isVisible())
            continue;
        // A row that waits for reuse keeps the index it had; the list itself knows who stands
        // there.
        QQuickItem* live = nullptr;
        QMetaObject::invokeMethod(list(), "itemAtIndex", Q_RETURN_ARG(QQuickItem*, live),
                                  Q_ARG(int, row.toInt()));
        if (live == item)
            places.append({row.toInt(), item});
    }
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.row < b.row; });
    QList<QQuickItem*> items;
    for (const Place& place : places)
        items << place.item;
    return items;
}

QVariant ListAccessible::attached(const char* property) const {
    return QQmlProperty(list(), QLatin1String(property), qmlContext(list())).read();
}

QAccessibleInterface* ListAccessible::parent() const {
    for (QQuickItem* up = list()->parentItem(); up != nullptr; up = up->parentItem()) {
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(up);
        if (isAccessible(face))
            return face;
    }
    return QAccessible::queryAccessibleInterface(list()->window());
}

QAccessibleInterface* ListAccessible::child(int index) const {
    const QList<QQuickItem*> all = rows();
    return index >= 0 && index < all.size() ? QAccessible::queryAccessibleInterface(all[index])
                                            : nullptr;
}

int ListAccessible::childCount() const {
    return int(rows().size());
}

int ListAccessible::indexOfChild(const QAccessibleInterface* child) const {
    return child == nullptr ? -1 : int(rows().indexOf(qobject_cast<QQuickItem*>(child->object())));
}

QString ListAccessible::text(QAccessible::Text text) const {
    if (text == QAccessible::Name)
        return attached("Accessible.name").toString();
    if (text == QAccessible::Description)
        return attached("Accessible.description").toString();
    return {};
}

QAccessible::Role ListAccessible::role() const {
    const int role = attached("Accessible.role").toInt();
    return role == 0 ? QAccessible::NoRole : QAccessible::Role(role);
}

QAccessible::State ListAccessible::state() const {
    QAccessible::State state;
    state.invisible = !list()->isVisible();
    state.disabled = !list()->isEnabled();
    state.focusable = list()->activeFocusOnTab();
    state.focused = list()->hasActiveFocus();
    return state;
}

QRect ListAccessible::rect() const {
    const QRectF scene = list()->mapRectToScene(QRectF(0, 0, list()->width(), list()->height()));
    const QPointF corner = list()->window() != nullptr
                               ? list()->window()->mapToGlobal(scene.topLeft())
                               : scene.topLeft();
    return QRectF(corner, scene.size()).toRect();
}

QAccessibleInterface* ListAccessible::focusChild() const {
    auto* current = list()->property("currentItem").value<QQuickItem*>();
    return list()->hasActiveFocus() && current != nullptr
               ? QAccessible::queryAccessibleInterface(current)
               : nullptr;
}

} // namespace alcove::ui
