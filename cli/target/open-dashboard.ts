/**
 * Opens the dashboard without exposing the token in the process list, which every user of the machine can read. The
 * browser opens a private file that redirects to the URL.
 */
import { release } from 'node:os'
import { join } from 'node:path'
import type { DashboardPage } from '../../client/protocol/model/dashboard-pages.js'
import { openInBrowser } from '../terminal/browser.js'
import { dashboardAddress } from './dashboard-address.js'
import { type EmulatorInfo, writePrivateFile } from './emulator-file.js'

type Opened = Pick<EmulatorInfo, 'dashboardUrl' | 'controlToken'>

/** @param folder the state folder */
export async function openDashboard(
  emulator: Opened,
  folder: string,
  page?: DashboardPage,
  id?: string,
): Promise<void> {
  const address = dashboardAddress(emulator, page, id)
  await openInBrowser(isInWindows() ? address : await redirectFile(folder, address))
}

/** Passes the URL directly on WSL, because a Windows browser cannot read Linux files and WSL has one user. */
function isInWindows(): boolean {
  return process.platform === 'linux' && /microsoft/i.test(release())
}

async function redirectFile(folder: string, address: string): Promise<string> {
  const file = join(folder, 'open.html')
  // Replaces an existing symlink instead of following it.
  await writePrivateFile(file, redirectPage(address))
  return file
}

function redirectPage(address: string): string {
  const quoted = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${quoted}">`,
    '<title>svc</title>',
    `<a href="${quoted}">Open the dashboard</a>`,
    '',
  ].join('\n')
}
