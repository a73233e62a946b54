/** Opens pages, collections, `svc` commands and switches by name. */
import { Autocomplete } from '@base-ui/react/autocomplete'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../parts/dialog.js'
import { keepPreference } from '../parts/preference.js'
import { useSession } from '../session/context.js'
import { commands } from './commands.js'
import { useCollections } from './counts.js'
import { usePageRecords } from './pages.js'
import { useCopy } from './undo.js'

interface Entry {
  readonly label: string
  readonly hint: string
  readonly run: () => void
}

export function Palette({ onClose }: { onClose: () => void }) {
  const entries = useEntries()
  return (
    <Dialog title="Go to a page or command" onClose={onClose}>
      <Autocomplete.Root items={entries} limit={60} inline open autoHighlight itemToStringValue={({ label }) => label}>
        <Autocomplete.Input
          className="input palette-input"
          placeholder="Page, collection or command"
          aria-label="Search"
        />
        <Autocomplete.Empty className="palette-empty">No results.</Autocomplete.Empty>
        <Autocomplete.List className="palette-list">
          {(entry: Entry) => (
            <Autocomplete.Item
              key={entry.hint + entry.label}
              value={entry}
              className="palette-item"
              onClick={() => {
                onClose()
                entry.run()
              }}
            >
              <span className={entry.hint === 'copy' ? 'mono' : ''}>{entry.label}</span>
              <span className="dim">{entry.hint}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Dialog>
  )
}

function useEntries(): Entry[] {
  const [, go] = useLocation()
  const { acting, actAs } = useSession()
  const copy = useCopy()
  const pages = usePageRecords()
  const { data: collections } = useCollections()
  return useMemo(() => {
    const theme = (name: string) => ({
      label: `Theme: ${name}`,
      hint: 'do',
      run: () => setTheme(name),
    })
    return [
      ...pages.map(({ path, title }) => ({ label: title, hint: 'page', run: () => go(path) })),
      ...(collections ?? []).map(({ name }) => ({ label: name, hint: 'collection', run: () => go(`/data/${name}`) })),
      ...(acting ? [{ label: 'Act as the owner again', hint: 'do', run: () => void actAs(undefined) }] : []),
      ...['light', 'dark', 'system'].map(theme),
      ...commands.map((command) => ({ label: command, hint: 'copy', run: () => copy(command, command) })),
    ]
  }, [pages, collections, acting, actAs, go, copy])
}

export function setTheme(name: string): void {
  keepPreference('theme', name)
  document.documentElement.dataset.theme = name
}
