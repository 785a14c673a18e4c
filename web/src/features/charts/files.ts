/** Exports a chart as CSV or as a picture. */

import { api, unwrap } from '@/lib/api/client'
import { type GraphRequest, graphParams } from '@/lib/data/charts'
import { saveFile } from '@/lib/download'
import type { Locale } from '@/lib/i18n/locales'
import type { Translate } from '@/lib/i18n/use-t'
import { ALL_SYSTEMS } from '@/lib/live/live'
import { joinTables } from './model/csv'
import { seriesOf } from './model/series'
import type { PlotGroup } from './plot/group'
import { pictureOf } from './plot/picture'

/** @param heading the title of the system column */
export async function saveTable(
  requests: readonly GraphRequest[],
  nameOf: (sn: string) => string,
  heading: string,
  locale: Locale,
) {
  saveFile(await tableOf(requests, nameOf, heading, locale), fileName(requests, 'csv'))
}

export async function savePicture(
  requests: readonly GraphRequest[],
  group: PlotGroup,
  title: string,
  t: Translate,
) {
  const file = await pictureOf(group, title, seriesOf(requests[0]?.series ?? []), t)
  if (file) saveFile(file, fileName(requests, 'png'))
}

function fileName(requests: readonly GraphRequest[], ending: string) {
  const systems = requests.map(({ sn }) => (sn === ALL_SYSTEMS ? 'all' : sn)).join('-')
  const [first] = requests
  return `suncellar_${systems}_${first?.interval.toLowerCase()}_${first?.date}.${ending}`
}

/** The server's CSV; several systems are joined with a system column. */
async function tableOf(
  requests: readonly GraphRequest[],
  nameOf: (sn: string) => string,
  heading: string,
  locale: Locale,
) {
  const tables = await Promise.all(requests.map(readTable))
  const [only] = tables
  if (only && tables.length === 1) return only
  const texts = await Promise.all(tables.map((table) => table.text()))
  const named = texts.map((table, place) => ({ name: nameOf(requests[place]?.sn ?? ''), table }))
  return new Blob([joinTables(named, heading, locale)], { type: 'text/csv;charset=utf-8' })
}

async function readTable(request: GraphRequest): Promise<Blob> {
  const query = { ...graphParams(request), format: 'csv' }
  return (await unwrap(api.GET('/api/auth/graph/', { params: { query }, parseAs: 'blob' }))) as Blob
}
