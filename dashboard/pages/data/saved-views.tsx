/** Saves named queries of a collection in this browser. */
import { useState } from 'react'
import { Field, FormDialog } from '../../parts/dialog.js'
import { Menu } from '../../parts/menu.js'
import { keepPreference, preference } from '../../parts/preference.js'
import { useSession } from '../../session/context.js'
import type { QueryState } from './query-state.js'

type Views = Readonly<Record<string, string>>

export function SavedViews({ collection, query }: { collection: string; query: QueryState }) {
  const { folder } = useSession()
  const storageKey = `${folder}:views:${collection}`
  const [views, setViews] = useState<Views>(() => JSON.parse(preference(storageKey) ?? '{}'))
  const [isNaming, setNaming] = useState(false)
  const keep = (next: Views) => {
    setViews(next)
    keepPreference(storageKey, JSON.stringify(next))
  }
  const names = Object.keys(views)
  const current = names.find((name) => views[name] === query.text && query.text !== '')
  if (names.length === 0 && query.text === '') return null
  return (
    <>
      <Menu
        trigger={current ?? 'Views'}
        entries={[
          ...names.map((name) => ({ label: name, run: () => query.changeText(views[name] ?? '') })),
          ...(query.text !== '' && current === undefined
            ? [{ label: 'Save this view…', run: () => setNaming(true) }]
            : []),
          ...(current === undefined
            ? []
            : [
                {
                  label: `Delete ${current}`,
                  isBad: true,
                  run: () => keep(Object.fromEntries(Object.entries(views).filter(([name]) => name !== current))),
                },
              ]),
        ]}
      />
      {isNaming ? (
        <FormDialog
          title="Save this view"
          action="Save"
          isBusy={false}
          failure={null}
          onClose={() => setNaming(false)}
          onSubmit={(form) => {
            keep({ ...views, [String(form.get('name'))]: query.text })
            setNaming(false)
          }}
        >
          <Field label="Name" hint={query.text}>
            <input className="input" name="name" required maxLength={60} autoComplete="off" />
          </Field>
        </FormDialog>
      ) : null}
    </>
  )
}
