/** The whole page: it finds out who it talks to, then shows the frame and in it what the address says. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { Route, Router, Switch } from 'wouter'
import { CommandLineProvider } from './frame/command-line.js'
import { Frame } from './frame/frame.js'
import { PagesProvider } from './frame/pages.js'
import { UndoProvider } from './frame/undo.js'
import { queryDefaults } from './live/again.js'
import { EventsProvider } from './live/context.js'
import { pages, staleQueries } from './pages.js'
import { loadAhead } from './parts/ahead.js'
import { Empty, wordsOf } from './parts/states.js'
import { SessionProvider } from './session/context.js'
import { type Entry, enter, type Session } from './session/session.js'

const retryMilliseconds = 1_000

export function App() {
  const [entry, setEntry] = useState<Entry>()
  const begin = useCallback(async () => {
    // Another emulator may answer here by now: nothing of the one before may stay.
    setEntry(await enter(() => location.reload()))
  }, [])
  useEffect(() => {
    // A link with a token may be opened in a tab that is there already.
    const onHash = () => location.hash.includes('token=') && void begin()
    addEventListener('hashchange', onHash)
    void begin()
    return () => removeEventListener('hashchange', onHash)
  }, [begin])
  useEffect(() => {
    if (entry?.kind !== 'unreachable' && entry?.kind !== 'failed') return
    const timer = setTimeout(begin, retryMilliseconds)
    return () => clearTimeout(timer)
  }, [entry, begin])
  if (!entry) return null
  if (entry.kind === 'ready') return <Ready session={entry.session} />
  return <main className="entrance">{entranceOf(entry)}</main>
}

function entranceOf(entry: Exclude<Entry, { kind: 'ready' }>): ReactNode {
  if (entry.kind === 'unreachable') {
    return (
      <Empty title="No emulator answers here" command="svc dev">
        <p>Start it in the folder of your project; this page goes on by itself.</p>
      </Empty>
    )
  }
  if (entry.kind === 'failed') {
    return (
      <Empty title="The emulator answers with an error" command="svc logs">
        <p>{wordsOf(entry.error)}</p>
      </Empty>
    )
  }
  return (
    <Empty title={entry.isWrong ? 'This link is out of date' : 'This page needs its link'} command="svc open">
      <p>Open it with this command in the folder of your project, or by the address that svc dev has printed.</p>
    </Empty>
  )
}

function Ready({ session }: { session: Session }) {
  useEffect(() => void loadAhead(), [])
  const [queries] = useState(() => new QueryClient({ defaultOptions: queryDefaults }))
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider session={session}>
        <EventsProvider session={session} stale={staleQueries}>
          <UndoProvider>
            <CommandLineProvider>
              <Router base="/_svc">
                <PagesProvider value={pages}>
                  <Frame>
                    <Pages />
                  </Frame>
                </PagesProvider>
              </Router>
            </CommandLineProvider>
          </UndoProvider>
        </EventsProvider>
      </SessionProvider>
    </QueryClientProvider>
  )
}

function Pages() {
  return (
    <Switch>
      {pages.map(({ path, below = '', component }) => (
        <Route key={path} path={path + below} component={component} />
      ))}
      <Route>
        <Empty title="There is no such page" command="svc open" />
      </Route>
    </Switch>
  )
}
