import type { ProtocolBody } from '../data'

type Section = ProtocolBody['sheet']['sections'][number]

/** What stands in the protocol, as on paper: words and values come from the server, so that both say the same. */
export function Sheet({ sheet }: Pick<ProtocolBody, 'sheet'>) {
  return (
    <div className="grid gap-4">
      {sheet.sections.map((section) => (
        <SectionCard key={section.title} section={section} />
      ))}
    </div>
  )
}

function SectionCard({ section: { title, rows, table, text } }: { section: Section }) {
  return (
    <section aria-label={title} className="card min-w-0 p-5">
      <h2 className="card-heading mb-3">{title}</h2>
      {rows.length > 0 && (
        <dl className="grid gap-2 text-md">
          {rows.map(({ label, value }) => (
            <div key={label} className="grid gap-x-4 sm:grid-cols-[14rem_1fr]">
              <dt className="text-muted">{label}</dt>
              <dd className="num min-w-0 wrap-anywhere whitespace-pre-line">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {table && <Cells table={table} />}
      {text && <p className="mt-3 text-md text-muted">{text}</p>}
    </section>
  )
}

/** On a phone each row is a list of its own: nothing scrolls sideways. */
function Cells({ table: { head, rows } }: { table: NonNullable<Section['table']> }) {
  return (
    <table className="num mt-2 w-full text-left text-sm max-sm:block">
      <thead className="max-sm:hidden">
        <tr className="border-b border-line text-muted">
          {head.map((name) => (
            <th key={name} scope="col" className="px-2 py-2 align-bottom font-medium first:pl-0">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {rows.map((cells) => (
          <tr key={cells[0]} className="border-b border-line last:border-0 max-sm:block max-sm:py-2">
            {cells.map((cell, place) => (
              <td
                key={head[place]}
                className="px-2 py-2 align-top first:pl-0 max-sm:flex max-sm:justify-between max-sm:gap-4 max-sm:px-0 max-sm:py-0.5"
              >
                <span className="text-muted sm:hidden">{head[place]}</span>
                <span className="max-sm:text-right">{cell}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
