/** Renders the frame of every page: top and bottom strip, navigation, palette, and shortcuts. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { formatBytes } from '../../client/protocol/model/figures.js'
import { useConnection } from '../live/context.js'
import { Boundary } from '../parts/boundary.js'
import { Copy } from '../parts/button.js'
import { isFormTyped } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { isMissing } from '../parts/states.js'
import { Time } from '../parts/time.js'
import { shortcut } from '../parts/words.js'
import { useSession } from '../session/context.js'
import { useShownCommand } from './command-line.js'
import { type Info, isInMemory, useClock, useCounts, useInfo } from './counts.js'
import { Keys } from './keys.js'
import { useIsOlder } from './newer-build.js'
import { usePageRecords } from './pages.js'
import { Palette } from './palette.js'
import { useUndo } from './undo.js'

export function Frame({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<'palette' | 'keys' | 'navigation'>()
  useShortcuts(setOpen)
  const [location] = useLocation()
  // Close open overlays when the page changes.
  useEffect(() => setOpen(undefined), [location])
  const isSheet = open === 'navigation'
  useCloseSheet(isSheet, setOpen)
  return (
    <div className="frame">
      <TopStrip
        isSheet={isSheet}
        onPalette={() => setOpen('palette')}
        onNavigation={() => setOpen(isSheet ? undefined : 'navigation')}
      />
      <Navigation isOpen={isSheet} />
      <main>
        <Boundary location={location}>{children}</Boundary>
      </main>
      <BottomStrip />
      {open === 'palette' ? <Palette onClose={() => setOpen(undefined)} /> : null}
      {open === 'keys' ? <Keys onClose={() => setOpen(undefined)} /> : null}
    </div>
  )
}

/** Closes the navigation sheet of narrow screens on Esc, on a click outside, and when a link is followed. */
function useCloseSheet(isOpen: boolean, open: (what: undefined) => void) {
  useEffect(() => {
    if (!isOpen) return
    const onClick = ({ target }: MouseEvent) => {
      const isInSheet = (target as Element).closest('.navigation, .menu-button') !== null
      if (!isInSheet || (target as Element).closest('.navigation a')) open(undefined)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Keep Esc from closing the pane below.
      event.stopPropagation()
      open(undefined)
    }
    addEventListener('click', onClick, true)
    addEventListener('keydown', onKey, true)
    return () => {
      removeEventListener('click', onClick, true)
      removeEventListener('keydown', onKey, true)
    }
  }, [isOpen, open])
}

type Open = (what: 'palette' | 'keys') => void

function useShortcuts(open: Open) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => (isPaletteKey(event) ? openPalette(event, open) : runShortcut(event, open))
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [open])
}

function isPaletteKey({ key, metaKey, ctrlKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (metaKey || ctrlKey)
}

function openPalette(event: KeyboardEvent, open: Open) {
  event.preventDefault()
  // Changing the page would discard the form.
  if (!isFormTyped()) open('palette')
}

function runShortcut(event: KeyboardEvent, open: Open) {
  if ((event.target as Element).closest('input, textarea, select, .cm-editor, .dialog')) return
  if (event.metaKey || event.ctrlKey || event.altKey) return
  if (event.key === '?') open('keys')
  const target = findTarget(event.key)
  if (!target) return
  event.preventDefault()
  if (target instanceof HTMLInputElement && target.type !== 'file') target.focus()
  else target.click()
}

/** Finds what a key of the page stands for. */
function findTarget(key: string): HTMLElement | null {
  const named = { '/': 'filter', n: 'new' }[key]
  return named === undefined ? null : document.querySelector<HTMLElement>(`main [data-key="${named}"]`)
}

const connectionLabels = {
  connecting: 'connecting',
  open: 'the emulator answers',
  lost: 'the emulator does not answer',
}

interface TopStripProps {
  readonly isSheet: boolean
  readonly onPalette: () => void
  readonly onNavigation: () => void
}

function TopStrip({ isSheet, onPalette, onNavigation }: TopStripProps) {
  const { project, acting, actAs } = useSession()
  const { data: info } = useInfo()
  const { data: clock } = useClock()
  const connection = useConnection()
  const isOlder = useIsOlder()
  useStopActing()
  return (
    <header className="top">
      <button
        type="button"
        className="icon-button menu-button"
        onClick={onNavigation}
        aria-label="Pages"
        aria-expanded={isSheet}
      >
        <Icon name="menu" />
      </button>
      <Link href="/" className="brand">
        <i className={connection} title={connectionLabels[connection]} />
        svc dev
        <span className="hidden" role="status">
          {connectionLabels[connection]}
        </span>
      </Link>
      <Link href="/settings" className="chip">
        project <b>{project.name}</b>
      </Link>
      <Link href="/settings" className="chip wide-only">
        dialect <b>{info?.dialect ?? '…'}</b>
      </Link>
      <Link href="/" className="chip mono wide-only">
        {location.host}
      </Link>
      {connection === 'lost' ? (
        <span className="chip warn">
          <span>
            not answering<span className="wide-only">; showing the last state</span>
          </span>
        </span>
      ) : null}
      {isOlder && connection !== 'lost' ? (
        <button type="button" className="chip warn" onClick={() => location.reload()}>
          <span>
            <span className="wide-only">this page is </span>older than svc
          </span>{' '}
          <b>Reload</b>
        </button>
      ) : null}
      <span className="grow" />
      <Link href="/simulate" className={`chip wide-only ${clock && clock.offset !== 0 ? 'warn' : ''}`}>
        clock <b>{clock ? formatOffset(clock.offset) : '…'}</b>
      </Link>
      {acting ? (
        <button
          type="button"
          className="chip warn"
          onClick={() => void actAs(undefined)}
          title="Act as the owner again"
        >
          acting as <b>{acting.user.email}</b> ×
        </button>
      ) : (
        <Link href="/users" className="chip wide-only">
          acting as <b>owner</b>
        </Link>
      )}
      <button type="button" className="chip palette-button" onClick={onPalette}>
        <span className="wide-only">Go to a page or command</span> <kbd>{shortcut('K')}</kbd>
        <span className="touch-only">
          <Icon name="search" />
          <span className="hidden">Search</span>
        </span>
      </button>
    </header>
  )
}

/** Stops acting as a user who was deleted, and shows a notice. */
function useStopActing(): void {
  const { owner, acting, actAs } = useSession()
  const { notify } = useUndo()
  const { id, email } = acting?.user ?? { id: '', email: '' }
  const { error } = useQuery({
    queryKey: ['users', 'one', id],
    queryFn: () => owner.users.get(id),
    enabled: acting !== undefined,
  })
  const isGone = acting !== undefined && isMissing(error)
  useEffect(() => {
    if (!isGone) return
    void actAs(undefined)
    notify({ text: `${email} was deleted. You act as the owner again.` })
  }, [isGone, email, actAs, notify])
}

function formatOffset(milliseconds: number): string {
  if (milliseconds === 0) return 'real'
  const seconds = Math.round(Math.abs(milliseconds) / 1000)
  const text =
    seconds >= 172_800
      ? `${Math.round(seconds / 86_400)} d`
      : seconds >= 7_200
        ? `${Math.round(seconds / 3_600)} h`
        : seconds >= 120
          ? `${Math.round(seconds / 60)} min`
          : `${seconds} s`
  return `${milliseconds > 0 ? '+' : '−'}${text}`
}

function Navigation({ isOpen }: { isOpen: boolean }) {
  const pages = usePageRecords()
  const { counts } = useCounts()
  const [location] = useLocation()
  return (
    <nav className={`navigation ${isOpen ? 'open' : ''}`} aria-label="Pages">
      {pages.map(({ path, title, icon, group, count }, at) => {
        const isHere = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)
        const isFirst = group !== '' && pages[at - 1]?.group !== group
        return (
          <div key={path}>
            {isFirst ? <h2>{group}</h2> : null}
            <Link href={path} className={isHere ? 'on' : ''} aria-current={isHere ? 'page' : undefined} title={title}>
              <Icon name={icon} />
              <b>{title}</b>
              <span className="mono">{count === undefined ? '' : (counts[count] ?? '')}</span>
            </Link>
          </div>
        )
      })}
    </nav>
  )
}

function Saved({ database }: Pick<Info, 'database'>) {
  const { savedAt } = database
  if (isInMemory(database)) return <>in memory</>
  return <>saved {savedAt === null ? 'with each commit' : <Time at={savedAt} isMachineTime />}</>
}

function BottomStrip() {
  const command = useShownCommand()
  const { data: info } = useInfo()
  return (
    <footer className="bottom">
      <span className="wide-only">On the command line</span>
      <code className="cut" title={command}>
        {command}
      </code>
      <Copy text={command} />
      <span className="grow" />
      <span className="wide-only">{info ? <Saved database={info.database} /> : null}</span>
      <span className="wide-only">
        {info ? `PostgreSQL ${info.database.version.split(' ')[0]} · ${formatBytes(info.database.bytes)}` : ''}
      </span>
    </footer>
  )
}
