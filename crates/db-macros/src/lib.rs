//! `#[derive(FromRow)]` for both database engines. The one of sqlx would compile both drivers a second time, for the compiler.
use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, parse_macro_input};

/// Reads a struct from a row of either engine. The names of its fields are the names of the columns.
#[proc_macro_derive(FromRow)]
pub fn from_row(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return error(name, "a row is a struct");
    };
    let Fields::Named(fields) = &data.fields else {
        return error(name, "the columns need names");
    };
    let fields: Vec<_> = fields
        .named
        .iter()
        .filter_map(|field| field.ident.as_ref())
        .collect();
    let columns = fields.iter().map(|field| field.to_string());
    let columns: Vec<_> = columns.collect();
    let implement = |row| {
        quote! {
            impl ::sqlx::FromRow<'_, #row> for #name {
                fn from_row(row: &#row) -> ::sqlx::Result<Self> {
                    use ::sqlx::Row as _;
                    ::core::result::Result::Ok(Self { #(#fields: row.try_get(#columns)?),* })
                }
            }
        }
    };
    let sqlite = implement(quote!(::sqlx::sqlite::SqliteRow));
    let postgres = implement(quote!(::sqlx::postgres::PgRow));
    quote!(#sqlite #postgres).into()
}

fn error(name: &syn::Ident, text: &str) -> TokenStream {
    syn::Error::new(name.span(), text).to_compile_error().into()
}
