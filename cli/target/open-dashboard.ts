/**
 * Opens a page of the dashboard without the token in the list of processes, which every user of the machine may read: the
 * browser is given a file of this user's own, which leads on to the address.
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

/** The browser of a Windows desktop does not read the files of the Linux in it, which has one user. */
function isInWindows(): boolean {
  return process.platform === 'linux' && /microsoft/i.test(release())
}

async function redirectFile(folder: string, address: string): Promise<string> {
  const file = join(folder, 'open.html')
  // A link that stands there already is replaced, not followed.
  await writePrivateFile(file, pageThatLeadsTo(address))
  return file
}

function pageThatLeadsTo(address: string): string {
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
