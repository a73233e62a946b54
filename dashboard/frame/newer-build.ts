/** Detects that the open page is older than the running svc, for example after an upgrade. */
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useConnection } from '../live/context.js'
import { hasDrafts } from '../session/drafts.js'

/** Extracts the hashed script and style names of a page. Ignores assets that browser extensions add. */
const assetsIn = (html: string) => [...html.matchAll(/\/_svc\/assets\/[\w.-]+/g)].map(([name]) => name).join(' ')

/** Read before lazy parts add more scripts. */
const ownBuild = assetsIn([...document.head.children].map(({ outerHTML }) => outerHTML).join('\n'))

const storageKey = 'svc:reloaded'

/** Returns whether the page is older than the emulator. Reloads the page once per build if no unsaved text would be lost. */
export function useIsOlder(): boolean {
  const connection = useConnection()
  const isTyped = useIsTyped()
  const [isOlder, setOlder] = useState(false)
  useEffect(() => {
    if (connection !== 'open') return
    let isLeft = false
    async function look() {
      const build = await buildThere().catch(() => ownBuild)
      if (isLeft || build === ownBuild) return
      const isHeld = isTyped.current || hasDrafts() || document.querySelector('.dialog, .notice') !== null
      if (isHeld || !mayReload(build)) setOlder(true)
      else window.location.reload()
    }
    const onSeen = () => void (document.visibilityState === 'visible' && look())
    void look()
    document.addEventListener('visibilitychange', onSeen)
    return () => {
      isLeft = true
      document.removeEventListener('visibilitychange', onSeen)
    }
  }, [connection, isTyped])
  return isOlder
}

async function buildThere(): Promise<string> {
  const answer = await fetch('/_svc/', { cache: 'no-store', headers: { accept: 'text/html' } })
  return answer.ok ? assetsIn(await answer.text()) : ownBuild
}

/** Tracks whether the user typed anything since opening the current page. */
function useIsTyped() {
  const isTyped = useRef(false)
  const [location] = useLocation()
  // Text typed on the previous page is gone, or saved as a draft.
  const shown = useRef(location)
  if (shown.current !== location) isTyped.current = false
  shown.current = location
  useEffect(() => {
    const onInput = () => {
      isTyped.current = true
    }
    addEventListener('input', onInput)
    return () => removeEventListener('input', onInput)
  }, [])
  return isTyped
}

/** Allows one reload per build. If the page is still old afterwards, a proxy serves it from a cache. */
function mayReload(build: string): boolean {
  try {
    if (sessionStorage.getItem(storageKey) === build) return false
    sessionStorage.setItem(storageKey, build)
    return true
  } catch {
    return false
  }
}
