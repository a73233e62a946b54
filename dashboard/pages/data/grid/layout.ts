/** Which columns a list shows, in which order, and which are pinned. Kept per collection in this browser. */
import { useCallback, useMemo, useState } from 'react'
import type { Collection } from '../../../../client/index.js'
import { type FieldRule, findRule } from '../../../../client/protocol/model/collection.js'
import type { DataColumn, ValueType } from '../../../parts/columns.js'
import { keepPreference, preference } from '../../../parts/preference.js'
import { useSession } from '../../../session/context.js'
import { describeType } from '../form/rules.js'
import { findTitleField } from '../form/titles.js'

/** The names of these columns cannot be those of fields. */
export const idColumn = ' id'
export const createdColumn = ' created'

export interface GridColumn {
  readonly name: string
  readonly title: string
  /** Undefined for the columns of the service. */
  readonly type: ValueType | undefined
  /** The type in the words of the schema. */
  readonly typeWord: string | undefined
  readonly rule: FieldRule | undefined
  /** Whether no loaded document has a value. */
  readonly isEmpty: boolean
  readonly isShown: boolean
  readonly isPinned: boolean
  /** In pixels. Undefined for the usual width. */
  readonly width?: number | undefined
}

interface Layout {
  /** Columns that are not named keep their usual place after the others. */
  readonly order?: readonly string[]
  readonly shown?: readonly string[]
  readonly hidden?: readonly string[]
  readonly pinned?: readonly string[]
  readonly widths?: Readonly<Record<string, number | undefined>>
}

export interface GridLayout {
  readonly columns: readonly GridColumn[]
  readonly isUsual: boolean
  readonly show: (names: readonly string[], isShown: boolean) => void
  readonly pin: (name: string, isPinned: boolean) => void
  readonly move: (name: string, by: number) => void
  readonly resize: (name: string, width: number | undefined) => void
  readonly reset: () => void
}

/** More columns are shown when the user asks for them. */
const usuallyShown = 14

export function useLayout(name: string, settings: Settings, found: readonly DataColumn[]): GridLayout {
  const { folder } = useSession()
  const key = `${folder}:columns:${name}`
  const [layout, setLayout] = useState<Layout>(() => JSON.parse(preference(key) ?? '{}'))
  const change = useCallback(
    (next: Layout) => {
      setLayout(next)
      keepPreference(key, JSON.stringify(next))
    },
    [key],
  )
  // Stays the same between renders, so that unchanged rows are not rendered again.
  return useMemo(() => {
    const columns = arrangeColumns(settings, found, layout)
    const names = columns.map((column) => column.name)
    const pinned = columns.filter(({ isPinned }) => isPinned).map((column) => column.name)
    return {
      columns,
      isUsual: Object.keys(layout).length === 0,
      show(asked, isShown) {
        const without = (list: readonly string[] = []) => list.filter((each) => !asked.includes(each))
        const [shown, hidden] = [without(layout.shown), without(layout.hidden)]
        change({
          ...layout,
          shown: isShown ? [...shown, ...asked] : shown,
          hidden: isShown ? hidden : [...hidden, ...asked],
        })
      },
      pin(asked, isPinned) {
        const others = pinned.filter((each) => each !== asked)
        change({ ...layout, pinned: isPinned ? [...others, asked] : others })
      },
      move(asked, by) {
        const order = names.filter((each) => each !== asked)
        const to = Math.min(Math.max(names.indexOf(asked) + by, 0), order.length)
        order.splice(to, 0, asked)
        change({ ...layout, order })
      },
      resize: (asked, width) => change({ ...layout, widths: { ...layout.widths, [asked]: width } }),
      reset: () => change({}),
    }
  }, [settings, found, layout, change])
}

type Settings = Pick<Collection, 'schema' | 'title'>

/** Puts pinned columns first, then the others as ordered, else the title, the id, and the fields in their order. */
function arrangeColumns(settings: Settings, found: readonly DataColumn[], layout: Layout): GridColumn[] {
  const usual = findUsual(settings, found)
  const pinned = layout.pinned ?? usual.filter(({ isPinned }) => isPinned).map(({ name }) => name)
  const rank = (name: string) => {
    const at = layout.order?.indexOf(name) ?? -1
    return at < 0 ? (layout.order?.length ?? 0) : at
  }
  return usual
    .map((column, at) => ({
      ...column,
      isPinned: pinned.includes(column.name),
      width: layout.widths?.[column.name],
      isShown: layout.shown?.includes(column.name) || (at < usuallyShown && !layout.hidden?.includes(column.name)),
    }))
    .sort((one, other) => Number(other.isPinned) - Number(one.isPinned) || rank(one.name) - rank(other.name))
}

function findUsual(settings: Settings, found: readonly DataColumn[]): GridColumn[] {
  const own = (name: string, words: string): GridColumn => ({
    ...{ name, title: words, type: undefined, typeWord: undefined, rule: undefined },
    ...{ isEmpty: false, isShown: true, isPinned: false },
  })
  const { schema } = settings
  const first = Object.keys(schema).length > 0 ? findTitleField(settings) : undefined
  const fields = Object.keys(schema).filter((name) => name !== first)
  const free = found.filter(({ name }) => !Object.hasOwn(schema, name)).map(({ name }) => name)
  const field = (name: string): GridColumn => {
    const rule = findRule(schema, name)
    const seen = found.find((each) => each.name === name)?.type
    return {
      ...{ name, title: name, rule, isEmpty: seen === undefined, isShown: true, isPinned: name === first },
      type: rule ? typesOfRules[rule.type] : seen,
      typeWord: rule ? describeType(rule) : seen,
    }
  }
  return [
    ...(first === undefined ? [] : [field(first)]),
    own(idColumn, 'id'),
    ...[...fields, ...free].map(field),
    own(createdColumn, 'created'),
  ]
}

const typesOfRules: { readonly [Type in FieldRule['type']]: ValueType } = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'true/false',
  array: 'list',
  object: 'object',
  datetime: 'date',
  file: 'file',
  link: 'link',
  any: 'object',
}
