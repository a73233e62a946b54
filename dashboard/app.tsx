/** Opens a session with the emulator, then shows the frame with the page that the address names. */
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
import { preloadScripts } from './parts/preload.js'
import { describeError, Empty } from './parts/states.js'
import { SessionProvider } from './session/context.js'
import { type Entry, enter, type Session } from './session/session.js'

const retryMilliseconds = 1_000

export function App() {
  const [entry, setEntry] = useState<Entry>()
  const begin = useCallback(async () => {
    // Another emulator may answer at this address by now, so discard all state of the previous one.
    setEntry(await enter(() => location.reload()))
  }, [])
  useEffect(() => {
    // A link with a token may open in a tab that already shows the dashboard.
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
  return <main className="entrance">{renderEntrance(entry)}</main>
}

function renderEntrance(entry: Exclude<Entry, { kind: 'ready' }>): ReactNode {
  if (entry.kind === 'unreachable') {
    return (
      <Empty title="The emulator is not running" command="svc dev">
        <p>Start it in your project folder. This page then connects automatically.</p>
      </Empty>
    )
  }
  if (entry.kind === 'failed') {
    return (
      <Empty title="The emulator returned an error" command="svc logs">
        <p>{describeError(entry.error)}</p>
      </Empty>
    )
  }
  return (
    <Empty title={entry.isWrong ? 'This link is out of date' : 'This page needs a token'} command="svc open">
      <p>Run this command in your project folder, or open the address that svc dev printed.</p>
    </Empty>
  )
}

function Ready({ session }: { session: Session }) {
  useEffect(() => void preloadScripts(), [])
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
        <Empty title="Page not found" command="svc open" />
      </Route>
    </Switch>
  )
}
